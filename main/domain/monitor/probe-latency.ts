import { modelColumns, tableTitle } from '../../contract/monitor/model-columns';
import type { AlertMetric, AlertRule } from '../../contract/monitor/monitor';
import type { MonitorHistory } from '../../contract/monitor/monitor-history';
import { formatCount, formatMs, formatShare, formatTyped } from '../../contract/numbers';
import { smallestOf } from '../statistics';

/** What a rule limits, and the unit of its limit; null: it has none. */
export const metricText: Readonly<
  Record<AlertMetric, { readonly label: string; readonly unit: string | null }>
> = {
  server: { label: 'Server is not up', unit: null },
  model: { label: 'Model is not ready', unit: null },
  'error-percent': { label: 'Errors', unit: '%' },
  'queue-ms': { label: 'Queue time', unit: 'ms' },
  'probe-p99-ms': { label: tableTitle(modelColumns.probeP99Us), unit: 'ms' },
};

/** "Probe p99 above 20 ms for 10 s, all models". */
export function ruleText({ metric, model, above, forSeconds }: AlertRule): string {
  const { label, unit } = metricText[metric];
  const limit = unit === null ? '' : ` above ${formatTyped(above)} ${unit}`;
  const lasting = forSeconds === 0 ? '' : ` for ${formatCount(forSeconds)} s`;
  const of = metric === 'server' ? '' : model === '' ? ', all models' : `, ${model}`;
  return `${label}${limit}${lasting}${of}`;
}

/** Lowest enabled limit of the p99 of probes for a model, milliseconds; null: none. */
export function p99LimitMs(rules: readonly AlertRule[], model: string): number | null {
  const limits = rules
    .filter((rule) => rule.enabled && rule.metric === 'probe-p99-ms')
    .filter((rule) => rule.model === '' || rule.model === model)
    .map(({ above }) => above);
  return limits.length === 0 ? null : smallestOf(limits);
}

/** Seconds whose probes of the last minute have a p99. */
interface ProbeLatency {
  readonly seconds: number;
  /** Of `seconds` those at most at the limit; all of them without a limit. */
  readonly within: number;
  readonly worstUs: number;
  readonly worstAtMs: number;
}

/**
 * @param key `model:<name>/<version>`
 * @param limitMs null: no limit
 * @returns null: no probe was answered
 */
function probeLatency(
  history: MonitorHistory,
  key: string,
  limitMs: number | null,
  span = history.span(),
): ProbeLatency | null {
  if (span === null) return null;
  const { timesMs, values } = history.series(key, 'probeP99Us', span.fromMs, span.toMs);
  let [seconds, within, worstUs, worstAtMs] = [0, 0, 0, 0];
  for (const [index, us] of values.entries()) {
    if (Number.isNaN(us)) continue;
    seconds += 1;
    if (limitMs === null || us <= limitMs * 1000) within += 1;
    if (seconds === 1 || us > worstUs) [worstUs, worstAtMs] = [us, timesMs[index] ?? 0];
  }
  return seconds === 0 ? null : { seconds, within, worstUs, worstAtMs };
}

/** Answers whether a model's latency was within its limit, in one sentence. @param atText of a moment */
function latencySentence(
  name: string,
  latency: ProbeLatency | null,
  limitMs: number | null,
  atText: (ms: number) => string,
): string {
  if (latency === null) return `${name}: not known. No probes were answered.`;
  const { seconds, within, worstUs, worstAtMs } = latency;
  const worst = `highest ${formatMs(worstUs)} ms at ${atText(worstAtMs)}`;
  const all = `${formatCount(seconds)} s with probes`;
  if (limitMs === null)
    return `${name}: p99 of the probes over ${all}, ${worst}. No limit was set: enable the rule ${metricText['probe-p99-ms'].label}.`;
  const limit = `${formatTyped(limitMs)} ms`;
  if (within === seconds)
    return `${name}: yes. The p99 of the probes was within ${limit} in all ${all}, ${worst}.`;
  const above = seconds - within;
  return `${name}: no. The p99 of the probes was above ${limit} in ${formatCount(above)} of ${all} (${formatShare(above / seconds)}), ${worst}.`;
}

/** Rules name a model without its version. @param name "<name>/<version>" */
export const modelOf = (name: string): string => name.replace(/\/[^/]*$/, '');

export interface LatencyAnswer {
  readonly sentence: string;
  /** null: no probe was answered. */
  readonly latency: ProbeLatency | null;
  readonly limitMs: number | null;
}

/** Whether each model answered within its limit. @param names "<name>/<version>" @param atText of a moment */
export const latencyAnswers = (
  history: MonitorHistory,
  names: readonly string[],
  rules: readonly AlertRule[],
  atText: (ms: number) => string,
): readonly LatencyAnswer[] =>
  names.map((name) => {
    const limitMs = p99LimitMs(rules, modelOf(name));
    const latency = probeLatency(history, `model:${name}`, limitMs);
    return { sentence: latencySentence(name, latency, limitMs, atText), latency, limitMs };
  });

export const isOnlyAnswer = (answers: readonly LatencyAnswer[]): boolean =>
  answers.length === 1 && answers[0]?.latency !== null;

/** One sentence: of the only model its answer, of several one for all with a limit and probes; null: there is none. */
export function latencyAnswer(answers: readonly LatencyAnswer[]): string | null {
  if (isOnlyAnswer(answers)) return answers[0]?.sentence ?? null;
  const judged = answers.flatMap(({ latency, limitMs }) =>
    latency === null || limitMs === null ? [] : [latency],
  );
  if (judged.length === 0) return null;
  const sum = (of: 'seconds' | 'within'): number => judged.reduce((total, one) => total + one[of], 0);
  if (sum('within') === 0) return 'The latency was never within its limit.';
  return sum('within') < sum('seconds')
    ? 'The latency was not always within its limit.'
    : 'The latency was always within its limit.';
}
