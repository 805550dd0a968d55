import { marksOf } from '../contract/flag-text';
import type { LoadPoint } from '../contract/results';

const rate = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
const ms = (us: number | null): string =>
  us === null ? '–' : `${(us / 1000).toFixed(us < 10_000 ? 3 : 1)} ms`;

/** What one level gave, as a line of the step's log. Pure. */
export function levelLine(name: string, point: LoadPoint): string {
  const marks = marksOf(point);
  const count = point.windows.length;
  return [
    `${name}: ${rate(point.inferencesPerSecond)} inferences/s`,
    `p50 ${ms(point.p50Us)}`,
    `p99 ${ms(point.p99Us)}`,
    marks.length === 0 ? 'steady' : marks.join(', '),
    ...(count === 0 ? [] : [`${count} ${count === 1 ? 'window' : 'windows'}`]),
  ].join(', ');
}
