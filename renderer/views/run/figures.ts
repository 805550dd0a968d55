import { cellText, valueText } from '../../../main/contract/measured/column';
import { meanBatch, p99, scheduledP99, throughput } from '../../../main/contract/measured/columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { type Scenario, scenarios } from '../../../main/contract/run/run-events';
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

interface Last {
  readonly point: LoadPoint;
  readonly note: string;
}

/** The last level measured: of this sweep, before its first one that of the sweep before. */
function lastOf(state: RunState, scenario: Scenario): Last | null {
  const order = [scenario, ...scenarios.filter((other) => other !== scenario)];
  for (const from of order) {
    const point = state.scenarios[from].points.at(-1)?.point;
    if (point === undefined) continue;
    return { point, note: from === scenario ? levelText(point) : `${from}, ${levelText(point)}` };
  }
  return null;
}

/** The newest window of a sweep, between two levels the last one measured. */
function newestOf(level: LiveLevel | null, last: Last | null): Newest {
  const window = level?.windows.at(-1);
  if (level !== null && window !== undefined)
    return { ...window, note: `${levelText(level)}, window ${level.windows.length}` };
  if (last === null) return { note: 'no window has ended yet' };
  const { inferencesPerSecond, p99Us, scheduled } = last.point;
  return {
    inferencesPerSecond,
    p99Us,
    scheduledP99Us: scheduled?.p99Us,
    note: `${last.note}, measured`,
  };
}

/** What a sweep measures now. */
export function nowFigures(
  state: RunState,
  scenario: Scenario,
  level: LiveLevel | null,
): readonly KeyFigure[] {
  const last = lastOf(state, scenario);
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
      value: last === null ? valueText(meanBatch, null) : cellText(meanBatch, last.point),
      unit: 'items',
      note: last === null ? 'not measured yet' : last.note,
    },
  ];
}
