import type { Check } from './machine';
import type { LoadPoint, OutputComparison } from './measured/results';
import { formatCount, formatTyped } from './numbers';
import type { Preset } from './run/preset';
import { type StepId, stepIds } from './run/run-events';
import type { StepState } from './run/run-step';
import type { LoadLevel } from './run/sweep';

/** A level in words, as "batch size 1, concurrency 4" or "batch size 1, 200 requests/s". */
export function levelText({ batchSize, concurrency, requestRate }: LoadLevel): string {
  const load =
    requestRate === undefined ? `concurrency ${concurrency}` : `${formatTyped(requestRate)} requests/s`;
  return `batch size ${batchSize}, ${load}`;
}

/** What ran beside a model, as "large at batch size 2, concurrency 8"; null of a model alone. */
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

/** Titles of the steps, for window, CLI and reports. */
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

/** Why a step was not run. */
export const skipWords = {
  unchanged: 'done before',
  cached: 'reused',
  'not-needed': 'not needed',
} as const satisfies Readonly<Record<NonNullable<StepState['skippedBecause']>, string>>;

/** The title of a step that another version may have had. */
export function stepTitleOf(step: string): string {
  const id = stepIds.find((known) => known === step);
  return id === undefined ? step : stepTitle[id];
}

/** "and 1,904 more models"; null when there are none. Pure. */
export const moreText = (count: number, noun: string): string | null =>
  count === 0 ? null : `and ${formatCount(count)} more ${noun}${count === 1 ? '' : 's'}`;

/** Metric name to what people call it ("top1" to "top-1"). */
export type MetricTitles = Readonly<Record<string, string>>;

export const metricTitlesOf = ({ metrics }: Pick<Preset, 'metrics'>): MetricTitles =>
  Object.fromEntries(metrics.map(({ name, title }) => [name, title]));

export function metricTitle(titles: MetricTitles, name: string): string {
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name;
}

type Metric = Preset['metrics'][number];

/** Which way a threshold bounds a metric; without word on it, higher values are better. */
export const isLowerBetter = ({ better }: Pick<Metric, 'better'>): boolean => better === 'lower';

/** Sign before a threshold. */
export const thresholdSign = (metric: Pick<Metric, 'better'>): '≤' | '≥' =>
  isLowerBetter(metric) ? '≤' : '≥';

/**
 * How much of the tolerance atol + rtol * |reference| the worst value of an output uses, as "35 %"; rounded away from the
 * limit of 100 %, so that what passes reads at most 100 % and what does not reads more. null: an older run, which does not
 * say it, or no value that a share could be of. Pure.
 */
export function allowanceText({ allowanceShare }: Pick<OutputComparison, 'allowanceShare'>): string | null {
  if (allowanceShare === undefined || allowanceShare === null) return null;
  if (allowanceShare === 0) return '0 %';
  if (allowanceShare < 0.01) return '<1 %';
  const percent = Math.ceil(Number((allowanceShare * 100).toFixed(6)));
  return `${formatCount(percent)} %`;
}

/** A text of at most `longest` characters, cut at a word and ended by an ellipsis where it was longer. */
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

/** Lines for a terminal: mark, title and finding, and below it what to do. */
export function formatChecks(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ status, title, finding, remedy }) => [
    `${marks[status]} ${title}: ${finding}`,
    ...(remedy === null ? [] : [`    → ${remedy}`]),
  ]);
}
