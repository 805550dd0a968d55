import { levelText } from '../../../main/contract/level-text';
import { bestPoint } from '../../../main/contract/points';
import type { LoadPoint } from '../../../main/contract/results';
import type { RunState } from '../../../main/contract/run-state';
import { budgetLatencyUs } from '../../../main/contract/sweep';
import { formatMs, formatRate } from '../../format/numbers';
import type { LiveLevel } from '../../stores/open-run';

export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly note: string;
}

const missing = (label: string): Figure => ({ label, value: '–', unit: '', note: 'not measured yet' });

function batchFigure(point: LoadPoint | null, label: string): Figure {
  if (point === null || point.meanServerBatch === null) return missing(label);
  return { label, value: point.meanServerBatch.toFixed(2), unit: 'items', note: levelText(point) };
}

/** The three figures at the top: of the level under way while it is measured, of the best level otherwise. */
export function figuresOf(state: RunState, level: LiveLevel | null): readonly Figure[] {
  const window = level?.windows.at(-1);
  if (level !== null && window !== undefined) {
    const last = state.scenarios[level.scenario].points.at(-1)?.point ?? null;
    const note = `${levelText(level)}, window ${level.windows.length}`;
    return [
      {
        label: 'Throughput now',
        value: formatRate(window.inferencesPerSecond),
        unit: 'inferences/s',
        note,
      },
      window.p99Us === null
        ? missing('p99 latency now')
        : {
            label: window.scheduledP99Us === undefined ? 'p99 latency now' : 'p99 from schedule now',
            value: formatMs(window.scheduledP99Us ?? window.p99Us),
            unit: 'ms',
            note,
          },
      batchFigure(last, 'Achieved batch, last level'),
    ];
  }
  const best = bestPoint(state)?.point ?? null;
  if (best === null) {
    return [missing('Best throughput'), missing('p99 latency there'), missing('Achieved batch there')];
  }
  return [
    {
      label: 'Best throughput',
      value: formatRate(best.inferencesPerSecond),
      unit: 'inferences/s',
      note: levelText(best),
    },
    {
      label: 'p99 latency there',
      value: formatMs(budgetLatencyUs(best)),
      unit: 'ms',
      note:
        best.scheduled === undefined
          ? levelText(best)
          : `from schedule; from send ${formatMs(best.p99Us)} ms`,
    },
    batchFigure(best, 'Achieved batch there'),
  ];
}
