import { cellText, valueText } from '../../../main/contract/measured/column';
import { meanBatch, p99, scheduledP99, throughput } from '../../../main/contract/measured/columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { Scenario } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';
import { levelText } from '../../../main/contract/words';
import type { KeyFigure } from '../../../main/domain/measured/key-figures';
import type { LiveLevel } from '../../stores/open-run';

interface Newest {
  readonly inferencesPerSecond?: number;
  readonly p99Us?: number | null;
  readonly scheduledP99Us?: number | undefined;
  readonly note: string;
}

/** The newest window of a sweep, between two levels the last one measured. */
function newestOf(level: LiveLevel | null, last: LoadPoint | undefined): Newest {
  const window = level?.windows.at(-1);
  if (level !== null && window !== undefined)
    return { ...window, note: `${levelText(level)}, window ${level.windows.length}` };
  if (last === undefined) return { note: 'no window has ended yet' };
  const { inferencesPerSecond, p99Us, scheduled } = last;
  return {
    inferencesPerSecond,
    p99Us,
    scheduledP99Us: scheduled?.p99Us,
    note: `${levelText(last)}, measured`,
  };
}

/** What a sweep measures now. */
export function nowFigures(
  state: RunState,
  scenario: Scenario,
  level: LiveLevel | null,
): readonly KeyFigure[] {
  const last = state.scenarios[scenario].points.at(-1)?.point;
  const shown = newestOf(level?.scenario === scenario ? level : null, last);
  const { note, scheduledP99Us } = shown;
  const latency = scheduledP99Us === undefined ? p99 : scheduledP99;
  return [
    {
      label: 'Throughput now',
      value: valueText(throughput, shown.inferencesPerSecond),
      unit: throughput.title.toLowerCase(),
      note,
    },
    {
      label: `${latency.title} now`,
      value: valueText(latency, scheduledP99Us ?? shown.p99Us),
      unit: latency.unit,
      note,
    },
    {
      label: `${meanBatch.title}, last level`,
      value: last === undefined ? valueText(meanBatch, null) : cellText(meanBatch, last),
      unit: 'items',
      note: last === undefined ? 'not measured yet' : levelText(last),
    },
  ];
}
