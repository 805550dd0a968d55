import { bestLevelName, bestLevelText } from '../../../main/contract/answer-text';
import { levelText } from '../../../main/contract/level-text';
import { bestPoint } from '../../../main/contract/points';
import type { LoadPoint } from '../../../main/contract/results';
import type { RunState } from '../../../main/contract/run-state';
import { budgetLatencyUs } from '../../../main/contract/sweep';
import { formatMeasured, formatMs, formatRate, missing } from '../../../main/contract/numbers';
import type { LiveLevel } from '../../stores/open-run';

export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly note: string;
}

const notYet = (label: string): Figure => ({ label, value: missing, unit: '', note: 'not measured yet' });

function batchFigure(point: LoadPoint | null, label: string): Figure {
  if (point === null || point.meanServerBatch === null) return notYet(label);
  return { label, value: formatMeasured(point.meanServerBatch), unit: 'items', note: levelText(point) };
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
        ? notYet('p99 latency now')
        : {
            label: window.scheduledP99Us === undefined ? 'p99 latency now' : 'p99 from schedule now',
            value: formatMs(window.scheduledP99Us ?? window.p99Us),
            unit: 'ms',
            note,
          },
      batchFigure(last, 'Mean executed batch size, last level'),
    ];
  }
  const best = bestPoint(state);
  if (best === null) {
    return [notYet('Best throughput'), notYet('p99 at best throughput'), notYet('Mean executed batch size')];
  }
  const { point } = best;
  return [
    {
      label: bestLevelName(best),
      value: formatRate(point.inferencesPerSecond),
      unit: 'inferences/s',
      note: bestLevelText(best),
    },
    {
      label: 'p99 at this level',
      value: formatMs(budgetLatencyUs(point)),
      unit: 'ms',
      note:
        point.scheduled === undefined
          ? levelText(point)
          : `from schedule; from send ${formatMs(point.p99Us)} ms`,
    },
    batchFigure(point, 'Mean executed batch size'),
  ];
}
