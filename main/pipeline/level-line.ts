import { stateWords } from '../contract/flag-text';
import { formatMs, formatRate, missing } from '../contract/numbers';
import type { LoadPoint } from '../contract/results';

const ms = (us: number | null): string => (us === null ? missing : `${formatMs(us)} ms`);

/** What one level gave, as a line of the step's log. Pure. */
export function levelLine(name: string, point: LoadPoint): string {
  const count = point.windows.length;
  return [
    `${name}: ${formatRate(point.inferencesPerSecond)} inferences/s`,
    `p50 ${ms(point.p50Us)}`,
    `p99 ${ms(point.p99Us)}`,
    stateWords(point),
    ...(count === 0 ? [] : [`${count} ${count === 1 ? 'window' : 'windows'}`]),
  ].join(', ');
}
