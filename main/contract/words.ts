import type { Check } from './machine';
import type { LoadPoint, OutputComparison } from './measured/results';
import { taskFigureTitles } from './measured/task-figures';
import { formatCount, formatTyped } from './numbers';
import type { Preset } from './run/preset';
import { type StepId, stepIds } from './run/run-events';
import type { StepState } from './run/run-step';
import type { LoadLevel } from './run/sweep';
import type { StudySummary } from './study/study';

/** "batch size 1, concurrency 4", "batch size 1, 200 requests/s". */
export function levelText({ batchSize, concurrency, requestRate }: LoadLevel): string {
  const load =
    requestRate === undefined ? `concurrency ${concurrency}` : `${formatTyped(requestRate)} requests/s`;
  return `batch size ${batchSize}, ${load}`;
}

/** "large at batch size 2, concurrency 8"; null of a model by itself. */
export function togetherText({ together = [] }: Pick<LoadPoint, 'together'>): string | null {
  return together.length === 0
    ? null
    : together.map((other) => `${other.model} at ${levelText(other)}`).join('; ');
}

/** "perf_analyzer 2.50.0", "native". */
export const loadToolText = ({
  loadTool,
  loadToolVersion,
}: Pick<LoadPoint, 'loadTool' | 'loadToolVersion'>): string =>
  loadToolVersion === undefined ? loadTool : `${loadTool} ${loadToolVersion}`;

export const stepTitle: Readonly<Record<StepId, string>> = {
  images: 'Prepare images',
  'prepare-data': 'Prepare data',
  export: 'Export model',
  convert: 'Convert model',
  configure: 'Configure',
  deploy: 'Deploy on Triton',
  accuracy: 'Check accuracy',
  'profile-data': 'Prepare profiling data',
  offline: 'Measure offline',
  online: 'Measure online',
  report: 'Write report',
};

export const skipWords = {
  unchanged: 'done before',
  cached: 'reused',
  'not-needed': 'not needed',
} as const satisfies Readonly<Record<NonNullable<StepState['skippedBecause']>, string>>;

/** Titles may come from other versions. */
export function stepTitleOf(step: string): string {
  const id = stepIds.find((known) => known === step);
  return id === undefined ? step : stepTitle[id];
}

/** "and 1,904 more models"; null without any. */
export const moreText = (count: number, noun: string): string | null =>
  count === 0 ? null : `and ${formatCount(count)} more ${noun}${count === 1 ? '' : 's'}`;

/** "top1" to "top-1". */
export type MetricTitles = Readonly<Record<string, string>>;

export const metricTitlesOf = ({ metrics }: Pick<Preset, 'metrics'>): MetricTitles =>
  Object.fromEntries(metrics.map(({ name, title }) => [name, title]));

/** Of the preset, or of the figures of a labeled data set. */
export function metricTitle(titles: MetricTitles, name: string): string {
  const known = Object.hasOwn(titles, name) ? titles : taskFigureTitles;
  return Object.hasOwn(known, name) ? (known[name] ?? name) : name;
}

type Metric = Preset['metrics'][number];

/** By default higher values are better. */
export const isLowerBetter = ({ better }: Pick<Metric, 'better'>): boolean => better === 'lower';

export const thresholdSign = (metric: Pick<Metric, 'better'>): '≤' | '≥' =>
  isLowerBetter(metric) ? '≤' : '≥';

/**
 * Share of the tolerance atol + rtol * |reference| used by the worst value: "35 %"; rounded away from 100 %, so that
 * only failures read more. null: an older run, or no finite share.
 */
export function allowanceText({ allowanceShare }: Pick<OutputComparison, 'allowanceShare'>): string | null {
  if (allowanceShare === undefined || allowanceShare === null) return null;
  if (allowanceShare === 0) return '0 %';
  if (allowanceShare < 0.01) return '<1 %';
  const percent = Math.ceil(Number((allowanceShare * 100).toFixed(6)));
  return `${formatCount(percent)} %`;
}

/** At most `longest` characters, cut at a word with an ellipsis. */
export function clipped(text: string, longest: number): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const head = characters.slice(0, longest - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${(space > longest / 2 ? head.slice(0, space) : head).replace(/[\s.,;:]+$/, '')}…`;
}

const marks: Readonly<Record<Check['status'], string>> = {
  ok: '✓',
  warning: '!',
  problem: '✗',
  'not-applicable': '–',
};

/** Terminal lines: mark, title and finding, then the remedy. */
export function formatChecks(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ status, title, finding, remedy }) => [
    `${marks[status]} ${title}: ${finding}`,
    ...(remedy === null ? [] : [`    → ${remedy}`]),
  ]);
}

/** "running", "running (interrupted)". */
export const studyStateText = ({
  state,
  interrupted,
}: Pick<StudySummary, 'state' | 'interrupted'>): string => (interrupted ? `${state} (interrupted)` : state);
