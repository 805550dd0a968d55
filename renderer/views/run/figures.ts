import { cellText, valueText } from '../../../main/contract/measured/column';
import { meanBatch, p99, scheduledP99, throughput } from '../../../main/contract/measured/columns';
import type { RunState } from '../../../main/contract/run/run-state';
import { levelText, type MetricTitles } from '../../../main/contract/words';
import { type KeyFigure, keyFigures } from '../../../main/domain/measured/key-figures';
import type { LiveLevel } from '../../stores/open-run';

export function figuresOf(
  state: RunState,
  level: LiveLevel | null,
  titles: MetricTitles,
): readonly KeyFigure[] {
  const window = level?.windows.at(-1);
  if (level === null || window === undefined) return keyFigures(state, titles);
  const last = state.scenarios[level.scenario].points.at(-1)?.point;
  const note = `${levelText(level)}, window ${level.windows.length}`;
  const latency = window.scheduledP99Us === undefined ? p99 : scheduledP99;
  return [
    {
      label: 'Throughput now',
      value: valueText(throughput, window.inferencesPerSecond),
      unit: throughput.title.toLowerCase(),
      note,
    },
    {
      label: `${latency.title} now`,
      value: valueText(latency, window.scheduledP99Us ?? window.p99Us),
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
