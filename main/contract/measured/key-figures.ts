import { isSteady, marksOf } from '../flag-text';
import { formatCount, formatMetric, formatMs, missing } from '../numbers';
import type { RunState } from '../run/run-state';
import { budgetLatencyUs } from '../run/sweep';
import { isLowerBetter, metricTitle, type MetricTitles } from '../words';
import { cellText } from './column';
import { throughput } from './columns';
import { bestPoint, levelsOf } from './points';
import type { LoadPoint } from './results';
import { bestLevelName, bestLevelText } from './verdict';

export interface KeyFigure {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly note: string;
}

const plural = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

function accuracyFigure(state: RunState, titles: MetricTitles): KeyFigure {
  const metric = state.accuracy?.result.metrics[0];
  if (metric === undefined) return { label: 'Accuracy', value: missing, unit: '', note: 'not checked' };
  const bound = isLowerBetter(metric) ? 'at most' : 'at least';
  const threshold = metric.threshold === null ? '' : ` · ${bound} ${formatMetric(metric.threshold)}`;
  return {
    label: `${metricTitle(titles, metric.name)}, Triton`,
    value: formatMetric(metric.triton),
    unit: '',
    note: `framework ${formatMetric(metric.framework)}${threshold}`,
  };
}

/** Beside the p99 from the schedule stands the one from the send, which hides what waited. */
function latencyNote({ scheduled, p50Us, p99Us, avgUs }: LoadPoint): string {
  return scheduled === undefined
    ? `p50 ${formatMs(p50Us)} · avg ${formatMs(avgUs)}`
    : `from schedule, p50 ${formatMs(scheduled.p50Us)} · from send p99 ${formatMs(p99Us)}, p50 ${formatMs(p50Us)}`;
}

/** One request at a time: of a running Triton that may be a level of the online sweep too. */
function lightestOf(state: RunState): LoadPoint | null {
  const found = levelsOf(state, 'offline').find(({ point }) => point !== null)?.point ?? null;
  if (found !== null || state.onServer === null) return found;
  const single = levelsOf(state, 'online').find(
    ({ point }) => point !== null && point.concurrency === 1 && point.requestRate === undefined,
  );
  return single?.point ?? null;
}

/** The handful of numbers at the top of a report and of the page of a run. */
export function keyFigures(state: RunState, titles: MetricTitles): readonly KeyFigure[] {
  const best = bestPoint(state);
  const levels = [...levelsOf(state, 'offline'), ...levelsOf(state, 'online')];
  const points = levels.flatMap(({ point }) => (point === null ? [] : [point]));
  const lightest = lightestOf(state);
  const unsteady = points.filter((point) => !isSteady(point)).length;
  const errors = points.reduce((sum, point) => sum + point.errorCount, 0);
  const others = [...new Set(points.flatMap(marksOf))].filter((mark) => mark !== 'not steady');
  const steadiness = [
    unsteady === 0 ? 'all steady' : `${formatCount(unsteady)} not steady`,
    ...others.map((mark) => `${formatCount(points.filter((p) => marksOf(p).includes(mark)).length)} ${mark}`),
  ].join(' · ');
  return [
    {
      label: best === null ? 'Best throughput' : bestLevelName(best),
      value: best === null ? missing : cellText(throughput, best.point),
      unit: best === null ? '' : 'inferences/s',
      note: best === null ? 'nothing measured' : bestLevelText(best),
    },
    {
      label: 'p99 at this level',
      value: best === null ? missing : formatMs(budgetLatencyUs(best.point)),
      unit: best === null ? '' : 'ms',
      note: best === null ? '' : latencyNote(best.point),
    },
    {
      label: 'Single request',
      value: formatMs(lightest?.p50Us),
      unit: lightest === null ? '' : 'ms',
      note:
        lightest === null
          ? 'nothing measured'
          : `p50, batch ${lightest.batchSize} · p99 ${formatMs(lightest.p99Us)}`,
    },
    accuracyFigure(state, titles),
    {
      label: 'Levels measured',
      value: `${formatCount(points.length)} of ${formatCount(levels.length)}`,
      unit: '',
      note: points.length === 0 ? 'nothing measured' : `${steadiness} · ${plural(errors, 'failed request')}`,
    },
  ];
}
