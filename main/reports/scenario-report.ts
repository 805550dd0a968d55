import { isFaulty, isSteady, marksOf, reasonsOf } from '../contract/flag-text';
import {
  type Baseline,
  baselineGpu,
  baselineSeries,
  baselinesOf,
  defaultBaseline,
  type PublishedResults,
} from '../contract/measured/baseline';
import { cellText } from '../contract/measured/column';
import { publishedColumns } from '../contract/measured/columns';
import type { LoadPoint } from '../contract/measured/results';
import { formatCount, formatMs, formatRate, formatShare, formatTyped, missing } from '../contract/numbers';
import { formatFacts } from '../contract/run/model-formats';
import type { Scenario } from '../contract/run/run-events';
import { isDeployed, performanceOf } from '../contract/run/run-source';
import type { DeployedRun, RunState } from '../contract/run/run-state';
import { type Sweep, sweepOf } from '../contract/run/sweep';
import { answerOf } from '../domain/measured/answer';
import { crossCheckOf } from '../domain/measured/cross-check';
import { budgetMsOf, isWithin, type Level, levelsOf } from '../domain/measured/points';
import type { ReportLevel, ReportPublished, ReportPublishedRow, ReportScenario } from './report';

function levelReport(level: Level, sweep: Sweep, answer: string): ReportLevel {
  const { batchSize, concurrency, requestRate, point, hole } = level;
  const columns = publishedColumns(sweep);
  const loadText = requestRate === undefined ? formatCount(concurrency) : formatTyped(requestRate);
  const loads = {
    batchSize,
    concurrency,
    ...(requestRate === undefined ? {} : { requestRate }),
    load: sweep === 'batchSize' ? batchSize : (requestRate ?? concurrency),
    loadText,
    answer,
  };
  if (point === null) {
    const load = [formatCount(batchSize), loadText];
    return {
      ...loads,
      cells: columns.map((_column, index) => load[index] ?? missing),
      point: null,
      steady: false,
      reasons: hole === null ? [] : [hole.reason],
      marks: hole === null ? [] : [hole.mark],
    };
  }
  return {
    ...loads,
    cells: columns.map((column) => cellText(column, point)),
    point,
    steady: isSteady(point),
    reasons: reasonsOf(point),
    marks: marksOf(point),
  };
}

/** The answer's text is at its level, or at the first row. */
function answersOf(state: RunState, levels: readonly Level[]): (point: LoadPoint | null) => string {
  const answer = answerOf(state);
  if (answer === null) return () => '';
  const { budgetMs, level, text } = answer;
  const shown = level === null ? levels.find(({ point }) => point !== null)?.point : level.point;
  const left = answer.doubts.flatMap(({ kind, levels: of }) => (kind === 'left-out' ? of : []));
  return (point) => {
    if (point === null) return '';
    if (point === shown) return text;
    if (budgetMs !== null && !isWithin(point, budgetMs)) return 'p99 budget exceeded';
    if (left.some((other) => other.point === point))
      return `left out: ${isFaulty(point) ? 'with errors' : 'not steady'}`;
    return budgetMs === null ? '' : 'p99 budget kept';
  };
}

const texts = {
  offline: {
    title: 'Offline scenario',
    description: 'Static batching: one request at a time (concurrency 1), with increasing batch size.',
  },
  online: {
    title: 'Online scenario',
    description: 'Many concurrent clients: fixed batch size per request, increasing concurrency.',
  },
} as const;

const rateText =
  'Requests sent when they are due, independent of responses: fixed batch size per request, increasing request rate.';

/** In load order, holes included. */
export function scenarioReport(
  state: RunState,
  scenario: Scenario,
  baseline: Baseline | null = null,
): ReportScenario {
  const levels = levelsOf(state, scenario);
  const sweep = sweepOf(scenario, levels);
  const chosen = answerOf(state)?.level ?? null;
  const answer = answersOf(state, levels);
  return {
    id: scenario,
    ...texts[scenario],
    ...(sweep === 'requestRate' ? { description: rateText } : {}),
    sweep,
    columns: publishedColumns(sweep).map(({ heading, title }) => heading ?? title),
    rows: levels.map((level) => levelReport(level, sweep, answer(level.point))),
    crossCheck: crossCheckOf(state, scenario),
    budgetMs: budgetMsOf(state),
    chosen: chosen?.scenario === scenario ? chosen : null,
    baseline: baselineSeries(baseline, scenario, performanceOf(state)),
  };
}

const titles: Readonly<Record<Scenario, string>> = { offline: 'Offline scenario', online: 'Online scenario' };

/** null without a chosen GPU, or published figures of the format and precision. */
export function reportBaseline(state: RunState, published: PublishedResults | null): Baseline | null {
  if (!isDeployed(state)) return null;
  const { spec } = state.source;
  const names = state.environment.gpus.map(({ name }) => name);
  return defaultBaseline(baselinesOf(published, spec), spec, names);
}

/** Published levels, with own ones at equal batch size and concurrency. */
function rowsOf(state: DeployedRun, scenario: Scenario, baseline: Baseline): readonly ReportPublishedRow[] {
  const measured = levelsOf(state, scenario);
  return (baselineSeries(baseline, scenario, performanceOf(state))?.points ?? []).map((point) => {
    const own = measured.find(
      (level) => level.batchSize === point.batchSize && level.concurrency === point.concurrency,
    )?.point;
    // A ratio is meaningless for another model.
    const ratio =
      own === undefined || own === null || state.source.spec.model.profile !== 'full'
        ? null
        : own.inferencesPerSecond / point.inferencesPerSecond;
    return {
      batchSize: formatCount(point.batchSize),
      concurrency: formatCount(point.concurrency),
      published: formatRate(point.inferencesPerSecond),
      publishedP99: formatMs(point.p99Ms === null ? null : point.p99Ms * 1000),
      measured: formatRate(own?.inferencesPerSecond),
      measuredP99: formatMs(own?.p99Us),
      ratio: formatShare(ratio),
    };
  });
}

/** null without a chosen GPU or published measurements. */
export function publishedReport(
  state: RunState,
  published: PublishedResults | null,
  differences: readonly string[] = [],
): ReportPublished | null {
  if (published === null || !isDeployed(state)) return null;
  const { spec } = state.source;
  const gpu = baselineGpu(
    spec,
    state.environment.gpus.map(({ name }) => name),
  );
  const all = baselinesOf(published, spec);
  if (gpu === null || all.length === 0) return null;
  const { title, address, date, note = null } = published.source;
  const source = `${title} (${address}, ${date})`;
  const baseline = reportBaseline(state, published);
  if (baseline === null) {
    const others = all.filter((other) => other.gpu === gpu).map(({ title: name }) => name);
    const there = others.length === 0 ? 'nothing' : others.join('; ');
    const lead = `No figures are published for ${gpu} with ${formatFacts[spec.format].title} ${spec.precision}; published for it: ${there}.`;
    return { source, note, label: null, lead, differences, scenarios: [] };
  }
  const size =
    spec.model.profile === 'full'
      ? ''
      : ' This run measured the small model of the profile quick, not the published one, so no ratio is given.';
  return {
    source,
    note,
    label: baseline.label,
    lead: `Published for ${baseline.title}; not measured by this run. The columns “measured” show this run's results, on the hardware under Environment.${size}`,
    differences,
    scenarios: (['offline', 'online'] as const)
      .map((id) => ({ id, title: titles[id], rows: rowsOf(state, id, baseline) }))
      .filter(({ rows }) => rows.length > 0),
  };
}
