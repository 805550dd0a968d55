import { isSteady, marksOf } from '../../contract/flag-text';
import { cellText, type Column, halfWidthText } from '../../contract/measured/column';
import { p99, throughput } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatCount, formatMetric, formatMs, missing } from '../../contract/numbers';
import { accuracyOf, accuracyText } from '../../contract/run/run-outcome';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs } from '../../contract/run/sweep';
import { isLowerBetter, metricTitle, type MetricTitles } from '../../contract/words';
import { servedByOf } from '../run/served-by';
import { answerOf, basisText, bestLevelText } from './answer';
import { levelsOf } from './points';

export interface KeyFigure {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly note: string;
}

const plural = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

function accuracyFigure(state: RunState, titles: MetricTitles): KeyFigure {
  const accuracy = accuracyOf(state.accuracy?.result);
  const metric = state.accuracy?.result.metrics[0];
  if (metric === undefined) {
    return accuracy.word === 'not checked'
      ? { label: 'Accuracy', value: missing, unit: '', note: accuracy.word }
      : { label: 'Accuracy', value: accuracy.word, unit: '', note: accuracy.of ?? '' };
  }
  const bound = isLowerBetter(metric) ? 'at most' : 'at least';
  const threshold = metric.threshold === null ? '' : ` · ${bound} ${formatMetric(metric.threshold)}`;
  return {
    label: `${metricTitle(titles, metric.name)}, Triton`,
    value: formatMetric(metric.triton),
    unit: '',
    note: `${accuracyText(accuracy)} · framework ${formatMetric(metric.framework)}${threshold}`,
  };
}

/** p99 from the schedule, beside that from the send, which hides the wait. */
function latencyNote({ scheduled, p50Us, p99Us, avgUs }: LoadPoint): string {
  return scheduled === undefined
    ? `p50 ${formatMs(p50Us)} · avg ${formatMs(avgUs)}`
    : `from schedule, p50 ${formatMs(scheduled.p50Us)} · from send p99 ${formatMs(p99Us)}, p50 ${formatMs(p50Us)}`;
}

/** "± 0.30 ms". */
function unitOf(column: Column, point: LoadPoint, unit: string): string {
  const half = halfWidthText(column, point);
  return half === missing ? unit : `± ${half} ${unit}`;
}

/** One request at a time; of a measured server it may be a level of the online sweep. */
function lightestOf(state: RunState): LoadPoint | null {
  const found = levelsOf(state, 'offline').find(({ point }) => point !== null)?.point ?? null;
  if (found !== null || state.source.kind !== 'server') return found;
  const single = levelsOf(state, 'online').find(
    ({ point }) => point !== null && point.concurrency === 1 && point.requestRate === undefined,
  );
  return single?.point ?? null;
}

function answerFigures(state: RunState): readonly KeyFigure[] {
  const answer = answerOf(state);
  const best = answer?.level ?? null;
  const label = answer === null ? 'Best throughput' : answer.name;
  if (best === null) {
    const note = answer === null ? 'nothing measured' : 'none';
    return [
      { label, value: missing, unit: '', note },
      { label: 'p99 at this level', value: missing, unit: '', note: '' },
    ];
  }
  const { point } = best;
  const basis = basisText(point);
  return [
    {
      label,
      value: cellText(throughput, point),
      unit: unitOf(throughput, point, 'inferences/s'),
      note: [bestLevelText(best), servedByOf(state)?.short ?? []].flat().join(' · '),
    },
    {
      label: 'p99 at this level',
      value: formatMs(budgetLatencyUs(point)),
      unit: point.scheduled === undefined ? unitOf(p99, point, 'ms') : 'ms',
      note: `${latencyNote(point)}${basis === null ? '' : ` · ${basis}`}`,
    },
  ];
}

export function keyFigures(state: RunState, titles: MetricTitles): readonly KeyFigure[] {
  const levels = [...levelsOf(state, 'offline'), ...levelsOf(state, 'online')];
  const points = levels.flatMap(({ point: one }) => (one === null ? [] : [one]));
  const lightest = lightestOf(state);
  const unsteady = points.filter((one) => !isSteady(one)).length;
  const errors = points.reduce((sum, { errorCount }) => sum + errorCount, 0);
  const others = [...new Set(points.flatMap(marksOf))].filter((mark) => mark !== 'not steady');
  const steadiness = [
    unsteady === 0 ? 'all steady' : `${formatCount(unsteady)} not steady`,
    ...others.map((mark) => `${formatCount(points.filter((p) => marksOf(p).includes(mark)).length)} ${mark}`),
  ].join(' · ');
  return [
    ...answerFigures(state),
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
