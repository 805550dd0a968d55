import { isFaulty, shellLine } from '../../../contract/flag-text';
import { valueText } from '../../../contract/measured/column';
import type { Limit, LimitEvidence } from '../../../contract/measured/limits';
import { isElsewhere } from '../../../contract/run/engine-kinds';
import { isDeployed } from '../../../contract/run/run-source';
import type { RunState } from '../../../contract/run/run-state';
import { answerOf, bestLevelText } from '../answer';
import { type BestPoint, budgetMsOf, highest, measuredPoints } from '../points';
import { levelFacts } from './limit-facts';
import { type FoundLimit, foundLimits, leastWeight } from './limit-rules';
import { isTryable, type Suggestion } from './limit-suggestions';

/** What limits a measured level, the heaviest first, and what to change. */
export interface Limits {
  readonly level: BestPoint;
  readonly limits: readonly Limit[];
  /** At most three, the most promising first; predicted when first asked for. */
  readonly suggestions: readonly Suggestion[];
}

const mostSuggestions = 3;

function fieldsOf({ change }: Suggestion): string {
  const { configure = {}, performance = {} } = change;
  return [...Object.keys(configure), ...Object.keys(performance)].join(' ');
}

/** Each change once, by the limits in their order. */
function firstOf(found: readonly FoundLimit[]): readonly Suggestion[] {
  const byFields = new Map<string, Suggestion>();
  for (const one of found.flatMap(({ suggestions }) => suggestions())) {
    if (one === null) continue;
    const key = fieldsOf(one) === '' ? one.text : fieldsOf(one);
    if (!byFields.has(key)) byFields.set(key, one);
  }
  return [...byFields.values()].slice(0, mostSuggestions);
}

/** The fastest level that requests of several connections, or at a rate, came to. */
const fastestOnline = (state: RunState): BestPoint | null =>
  highest(measuredPoints(state).filter(({ scenario, point }) => scenario === 'online' && !isFaulty(point)));

/**
 * The level of the answer; where no online level keeps the p99 budget the fastest of them, as what it waits for is what
 * there is to know, and without any the best of all.
 */
function judgedLevel(state: RunState): BestPoint | null {
  const answered = answerOf(state)?.level ?? null;
  const online = fastestOnline(state);
  const budgetMs = budgetMsOf(state);
  const misses = budgetMs !== null && answered?.scenario !== 'online' && online !== null;
  return (misses ? online : answered) ?? answerOf(state, null)?.level ?? null;
}

function judge(state: RunState, level: BestPoint | null): Limits | null {
  const facts = level === null ? null : levelFacts(state, level);
  if (level === null || facts === null) return null;
  const found = foundLimits(facts)
    .filter(({ weight }) => weight >= leastWeight)
    .sort((a, b) => b.weight - a.weight);
  let suggestions: Limits['suggestions'] | undefined;
  return {
    level,
    limits: found.map(({ kind, weight, sentence, evidence }) => ({ kind, weight, sentence, evidence })),
    get suggestions() {
      suggestions ??= firstOf(found);
      return suggestions;
    },
  };
}

/**
 * The level of the answer; the fastest online level where nothing is to be done about that one: what a batch that comes
 * whole, from one connection, takes says nothing about how requests are served.
 */
function judgeAnswer(state: RunState): Limits | null {
  const answered = judgedLevel(state);
  const limits = judge(state, answered);
  if (answered?.scenario !== 'offline' || (limits !== null && limits.suggestions.length > 0)) return limits;
  const online = judge(state, fastestOnline(state));
  return online !== null && online.suggestions.length > 0 ? online : limits;
}

/** Of a state, which is never changed: page and reports ask for them at every turn. */
const knownLimits = new WeakMap<RunState, Limits | null>();

/**
 * What limits a level of a run, from what was recorded of it; by default the one that the run's answer comes to. Null
 * without one, and for imported figures. What was not recorded is not judged. Pure.
 */
export function limitsOf(state: RunState, level?: BestPoint): Limits | null {
  if (level !== undefined) return judge(state, level);
  const known = knownLimits.get(state);
  if (known !== undefined) return known;
  const limits = judgeAnswer(state);
  knownLimits.set(state, limits);
  return limits;
}

/** "Server queue: 12.3 ms". */
export const evidenceText = ({ title, value, kind }: LimitEvidence): string =>
  `${title}: ${valueText({ kind }, value)}${kind === 'duration' ? ' ms' : ''}`;

/** What limits a level, in sentences; null where nothing was found. */
export interface LimitsText {
  /** "online, batch size 1, concurrency 16". */
  readonly level: string;
  readonly sentence: string;
  readonly limits: readonly { readonly sentence: string; readonly evidence: string }[];
  readonly suggestions: readonly string[];
}

type FoundText = Pick<LimitsText, 'level' | 'limits'>;

const foundText = ({ level, limits }: Pick<Limits, 'level' | 'limits'>): FoundText => ({
  level: bestLevelText(level),
  limits: limits.map(({ sentence, evidence }) => ({
    sentence,
    evidence: `${evidence.map(evidenceText).join('; ')}.`,
  })),
});

const foundLines = ({ level, limits }: FoundText): readonly string[] => [
  `What limits it (${level}):`,
  ...limits.flatMap(({ sentence, evidence }) => [`  ${sentence}`, `    ${evidence}`]),
];

/** The same words in window, report and command line. */
export function limitsText(state: RunState): LimitsText | null {
  const found = limitsOf(state);
  const [first] = found?.limits ?? [];
  if (found === null || first === undefined) return null;
  return {
    ...foundText(found),
    sentence: first.sentence,
    suggestions: found.suggestions.map(({ text, predictedText }) =>
      predictedText === null ? text : `${text} ${predictedText}`,
    ),
  };
}

/** Numbers, from 1, of the suggestions that can be measured beside the run as it is. */
export function tryableNumbers(state: RunState): readonly number[] {
  if (!isDeployed(state) || isElsewhere(state.source.spec.engine)) return [];
  return (limitsOf(state)?.suggestions ?? []).flatMap((one, at) => (isTryable(one) ? [at + 1] : []));
}

function tryLines(state: RunState): readonly string[] {
  const [first] = tryableNumbers(state);
  if (first === undefined) return [];
  const command = shellLine(['triton-workbench', 'limits', state.runId, '--try', String(first)]);
  return [`To measure one against the present configuration: ${command}`];
}

/** What limits it, and the command that says what to try: to predict that takes a while. */
export function shortLimitsLines(state: RunState): readonly string[] {
  const found = limitsOf(state);
  if (found === null || found.limits.length === 0) return [];
  return [
    ...foundLines(foundText(found)),
    `Suggestions with their predicted effect: ${shellLine(['triton-workbench', 'limits', state.runId])}`,
  ];
}

/** Why no limit of a run is stated. */
function noLimitLines(state: RunState): readonly string[] {
  const judged = limitsOf(state);
  if (judged !== null) return [`Nothing was found to limit this level: ${bestLevelText(judged.level)}.`];
  return measuredPoints(state).length === 0
    ? [
        'What limits it is not known: the run has no measured level.',
        `To continue it: ${shellLine(['triton-workbench', 'resume', state.runId])}`,
      ]
    : ['What limits it is not known: the levels do not have the figures of the server.'];
}

/** With all that could be done about it, or why nothing is stated. */
export function limitsLines(state: RunState): readonly string[] {
  const text = limitsText(state);
  if (text === null) return noLimitLines(state);
  return [
    ...foundLines(text),
    ...(text.suggestions.length === 0 ? [] : ['What to try:']),
    ...text.suggestions.map((line, at) => `  ${at + 1}. ${line}`),
    ...tryLines(state),
  ];
}

/** For machines; values as they are recorded, microseconds. */
export function limitsDocument(state: RunState) {
  const found = limitsOf(state);
  if (found === null) return null;
  const { level, limits, suggestions } = found;
  const { batchSize, concurrency, requestRate } = level.point;
  return {
    scenario: level.scenario,
    ...{ batchSize, concurrency },
    ...(requestRate === undefined ? {} : { requestRate }),
    limits,
    suggestions,
  };
}
