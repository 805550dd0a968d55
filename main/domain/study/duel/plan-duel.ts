import { invalidInput } from '../../../contract/errors';
import { isFaulty } from '../../../contract/flag-text';
import type { LoadPoint } from '../../../contract/measured/results';
import type { DeployedRun } from '../../../contract/run/run-state';
import type { DuelLevel, DuelRequest, DuelSide, DuelStrategy } from '../../../contract/study/duel';
import type { SearchServer } from '../../../contract/study/search';
import type { DuelPlan } from '../../../contract/study/study';
import { present } from '../../../contract/trees';
import { answerOf } from '../../measured/answer';
import { parseCriterion } from '../../measured/comparison-gate';
import { isTryable, type SuggestedChange } from '../../measured/limits/limit-suggestions';
import { limitsOf } from '../../measured/limits/limits';
import { type BestPoint, highest, measuredPoints } from '../../measured/points';
import { candidateText, configuredOf } from '../search/candidates';
import { duelLevelText } from './duel-answer';

/**
 * A look: short, so that the two of a pair are close in time, and of enough requests for what is judged. Of the throughput a
 * few tell it, and many short pairs have the least noise on a machine with other work; a p99 is of some hundred.
 */
const looksOf = {
  throughput: { shortestMs: 300, requests: 60 },
  p99: { shortestMs: 900, requests: 200 },
} as const;
const longestLookMs = 5000;
const unknownLookMs = 900;
const usualBudgetS = 300;
/** No interval excludes anything before. */
const fewestPairs = 5;

const levelOf = ({ batchSize, concurrency, requestRate }: LoadPoint): DuelLevel =>
  requestRate === undefined ? { batchSize, concurrency } : { batchSize, requestRate };

/** The level of the run's answer; of a closed loop where the throughput is asked for, as a rate decides it. */
function usualLevel(run: DeployedRun, isThroughput: boolean): BestPoint | null {
  const fits = ({ point }: BestPoint) => !isThroughput || point.requestRate === undefined;
  const answered = answerOf(run)?.level ?? null;
  if (answered !== null && fits(answered)) return answered;
  const points = measuredPoints(run).filter((one) => fits(one) && !isFaulty(one.point));
  return highest(points.filter(({ scenario }) => scenario === 'online')) ?? highest(points);
}

interface Level {
  readonly level: DuelLevel;
  /** Where it is from; null: as typed. */
  readonly note: string | null;
  /** As one of the runs measured it; null: not known. */
  readonly requestsPerSecond: number | null;
}

/** Throws input-invalid. */
export function askedLevel(
  request: Pick<DuelRequest, 'batchSize' | 'concurrency' | 'requestRate' | 'criteria'>,
  [first, second]: readonly [DeployedRun, DeployedRun],
): Level {
  const { batchSize, concurrency, requestRate, criteria = [] } = request;
  const isThroughput = criteria.some((text) => parseCriterion(text).metric === 'throughput');
  if (concurrency !== undefined && requestRate !== undefined) {
    throw invalidInput(
      '--request-rate',
      'The load is either a concurrency or a request rate',
      'Give one of them.',
    );
  }
  if (requestRate !== undefined && isThroughput) {
    const message = 'At a fixed request rate, both sides have the same throughput';
    throw invalidInput('--request-rate', message, 'Give --concurrency, or judge p99.');
  }
  const usual = usualLevel(first, isThroughput) ?? usualLevel(second, isThroughput);
  const size = batchSize ?? usual?.point.batchSize ?? 1;
  const perSecond = usual === null ? null : usual.point.inferencesPerSecond / usual.point.batchSize;
  if (requestRate !== undefined) {
    return { level: { batchSize: size, requestRate }, note: null, requestsPerSecond: requestRate };
  }
  if (concurrency !== undefined) {
    return { level: { batchSize: size, concurrency }, note: null, requestsPerSecond: perSecond };
  }
  if (usual === null) {
    throw invalidInput('--concurrency', 'The runs have no level', 'Give one, for example --concurrency 8.');
  }
  const level = { ...levelOf(usual.point), batchSize: size };
  const note = `Load: ${duelLevelText(level)}, the level of the answer of ${first.name ?? first.runId}.`;
  return { level, note, requestsPerSecond: perSecond };
}

/** Length of a look by what is judged and the rate of its requests; null: not known. */
export function usualLookMs(metric: keyof typeof looksOf, requestsPerSecond: number | null): number {
  const { shortestMs, requests } = looksOf[metric];
  if (requestsPerSecond === null) return unknownLookMs;
  const ms = (1000 * requests) / Math.max(1, requestsPerSecond);
  return Math.round(Math.min(longestLookMs, Math.max(shortestMs, ms)));
}

/** Without a criterion it is whether they differ: at a rate in p99. */
const judgesP99 = (criteria: readonly string[], level: DuelLevel): boolean =>
  criteria.length === 0
    ? 'requestRate' in level
    : criteria.some((text) => parseCriterion(text).metric === 'p99');

/** Throws input-invalid for less load than can tell anything. @param budgetS seconds */
export function requireBudget(budgetS: number, lookMs: number): void {
  const least = (2 * fewestPairs * lookMs) / 1000;
  if (budgetS >= least) return;
  const message = `A result takes at least ${Math.ceil(least)} s of load`;
  throw invalidInput('--budget', message, `Give more time, for example --budget 3m.`);
}

/** Throws input-invalid for a request size that a model does not take. */
export function requireFits(
  { runId, source: { spec } }: DeployedRun,
  side: Pick<DuelSide, 'level' | 'configure'>,
): void {
  const { batching, maxBatchSize } = { ...spec.configure, ...present(side.configure ?? {}) };
  const most = batching === 'disabled' ? 1 : Math.max(1, maxBatchSize);
  if (side.level.batchSize <= most) return;
  const message = `${runId} takes at most ${most} rows in a request, not ${side.level.batchSize}`;
  throw invalidInput('--batch-size', message, `Give --batch-size ${most} or less.`);
}

const sendingOf = ({ performance = {} }: SuggestedChange): NonNullable<DuelSide['sending']> => {
  const { protocol, sharedMemory, loadTool } = performance;
  return present({ protocol, sharedMemory, loadTool });
};

/** What the changed load is; the level as it is where the change is another one. */
function changedLevel(level: DuelLevel, { performance = {} }: SuggestedChange): DuelLevel {
  const { onlineBatchSize: batchSize = level.batchSize, concurrency: [concurrency] = [] } = performance;
  return concurrency === undefined ? { ...level, batchSize } : { batchSize, concurrency };
}

/** The suggestion with that number, from 1. Throws input-invalid. */
function suggestionOf(run: DeployedRun, number: number) {
  const limits = limitsOf(run);
  const found = limits?.suggestions[number - 1];
  if (limits === null || found === undefined) {
    const count = limits?.suggestions.length ?? 0;
    const remedy =
      count === 0 ? 'There are no suggestions for this run.' : `Give a number from 1 to ${count}.`;
    throw invalidInput('--try', `The run has no suggestion ${number}`, remedy);
  }
  if (!isTryable(found)) {
    const remedy = 'Change the run and measure it again: see "resume RUN --set".';
    throw invalidInput(
      '--try',
      `Suggestion ${number} cannot be measured side by side with the present configuration`,
      remedy,
    );
  }
  return { suggestion: found, level: levelOf(limits.level.point), point: limits.level.point };
}

function sendingText(sending: NonNullable<DuelSide['sending']>): string[] {
  const { protocol, sharedMemory, loadTool } = sending;
  return [
    ...(protocol === undefined ? [] : [`protocol ${protocol}`]),
    ...(sharedMemory === undefined ? [] : [`shared memory ${sharedMemory}`]),
    ...(loadTool === undefined ? [] : [`load tool ${loadTool}`]),
  ];
}

function titleOf(run: DeployedRun, side: Pick<DuelSide, 'configure' | 'sending'>, level: string | null) {
  const now = configuredOf(run.source.spec.configure);
  const { configure = {}, sending = {} } = side;
  const served = { ...now, ...present(configure) };
  const parts = [
    ...(Object.keys(configure).length === 0 ? [] : [candidateText(now, served)]),
    ...sendingText(sending),
    ...(level === null ? [] : [level]),
  ];
  return parts.join(', ');
}

function suggestedSides(
  run: DeployedRun,
  number: number,
): Pick<DuelStrategy, 'sides'> & Pick<Level, 'requestsPerSecond'> {
  const { suggestion, level, point } = suggestionOf(run, number);
  const { change } = suggestion;
  const changed = changedLevel(level, change);
  const isOtherLevel = duelLevelText(changed) !== duelLevelText(level);
  const { configure = {} } = change;
  const sending = sendingOf(change);
  const own = {
    ...(Object.keys(configure).length === 0 ? {} : { configure: present(configure) }),
    ...(Object.keys(sending).length === 0 ? {} : { sending }),
  };
  const title = titleOf(run, own, isOtherLevel ? duelLevelText(changed) : null);
  const { runId } = run;
  return {
    sides: [
      { runId, title: 'present configuration', level },
      { runId, title, level: changed, ...own },
    ],
    requestsPerSecond: point.inferencesPerSecond / point.batchSize,
  };
}

const titled = ({ name, runId }: DeployedRun): string => name ?? runId;

/**
 * The comparison in turns that a request asks for. Throws input-invalid. Pure.
 * @param runs both, or twice the one whose suggestion is tried
 */
export function planDuel(
  runs: readonly [DeployedRun, DeployedRun],
  request: Omit<DuelRequest, 'server'> & {
    readonly name: string;
    readonly server?: SearchServer | undefined;
  },
): DuelPlan {
  const [first, second] = runs;
  const { between, name, criteria = [], budgetS = usualBudgetS } = request;
  const texts = criteria.map((text) => parseCriterion(text).text);
  const notes: string[] = [];
  const sidesOf = (): Pick<DuelStrategy, 'sides'> & Pick<Level, 'requestsPerSecond'> => {
    if ('suggestion' in between) return suggestedSides(first, between.suggestion);
    const { level, note, requestsPerSecond } = askedLevel(request, runs);
    if (note !== null) notes.push(note);
    const sideOf = (run: DeployedRun): DuelSide => ({ runId: run.runId, title: titled(run), level });
    return { sides: [sideOf(first), sideOf(second)], requestsPerSecond };
  };
  const { sides, requestsPerSecond } = sidesOf();
  requireFits(first, sides[0]);
  requireFits(second, sides[1]);
  const lookMs = usualLookMs(judgesP99(texts, sides[0].level) ? 'p99' : 'throughput', requestsPerSecond);
  requireBudget(budgetS, lookMs);
  const duel: DuelStrategy = {
    ...{ kind: 'duel', sides, criteria: texts, budgetS, lookMs },
    errorPercentage: first.source.spec.performance.errorPercentage,
    ...present({ server: request.server }),
  };
  return { duel, notes, spec: { name, strategy: { ...duel, trials: [] }, hosts: null } };
}
