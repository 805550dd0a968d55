import { invalidInput } from '../../../contract/errors';
import { formatMs } from '../../../contract/numbers';
import type { DeployedRun } from '../../../contract/run/run-state';
import { budgetLatencyUs } from '../../../contract/run/sweep';
import type { SearchRequest, SearchStrategy } from '../../../contract/study/search';
import type { SearchPlan } from '../../../contract/study/study';
import { budgetMsOf, measuredPoints } from '../../measured/points';
import { candidatesOf, candidateText, mostCandidates, type SearchMachine } from './candidates';
import { confirmRounds } from './next-looks';
import { modelOf } from './search-models';

/** Of an answer to one request at a time: a target that leaves room for a queue. */
const unhurriedTimes = 3;
const usualConcurrency = [1, 2, 4, 8, 16, 32];
const lookMs = { open: 1500, closed: 900 } as const;
const fullMs = 3000;
/** The last comparison takes no more than this share of the budget. */
const comparisonShare = 1 / 2;
const usualBudgetS = 300;

/** The latency that is to be kept, and where it is from. */
function targetOf(run: DeployedRun, { latencyUs, percentile = 99 }: SearchRequest) {
  const name = `p${percentile}`;
  if (latencyUs !== undefined) return { latencyUs, note: null };
  const budgetMs = budgetMsOf(run);
  if (budgetMs !== null) {
    const note = `Target: ${name} ${formatMs(budgetMs * 1000)} ms, the p99 budget of the run.`;
    return { latencyUs: Math.round(budgetMs * 1000), note };
  }
  const points = measuredPoints(run).map(({ point }) => point);
  const [alone] = points.toSorted(
    (one, other) => one.concurrency * one.batchSize - other.concurrency * other.batchSize,
  );
  if (alone === undefined) {
    throw invalidInput(
      '--p99',
      'The run has no p99 budget and no level',
      'Give a target, for example --p99 20ms.',
    );
  }
  const latest = Math.round(unhurriedTimes * budgetLatencyUs(alone));
  const note = `Target: ${name} ${formatMs(latest)} ms, ${unhurriedTimes} times the p99 of the lowest level.`;
  return { latencyUs: latest, note };
}

/** The search that a request asks for. Throws input-invalid. Pure. */
export function planSearch(
  run: DeployedRun,
  request: SearchRequest & { readonly name: string },
  machine: Omit<SearchMachine, 'targetUs'>,
): SearchPlan {
  const { spec } = run.source;
  const { latencyUs, note } = targetOf(run, request);
  const batchSize = request.batchSize ?? spec.performance.onlineBatchSize;
  const candidates = candidatesOf(
    spec.configure,
    request.space,
    { ...machine, targetUs: latencyUs },
    { models: [modelOf(spec)], batchSizes: [...new Set([batchSize, ...(request.space.batchSize ?? [])])] },
  );
  if (candidates.length > mostCandidates) {
    const remedy = 'Give fewer values of some fields, for example --instances 1,2.';
    const message = `${candidates.length} configurations are more than a search compares: ${mostCandidates}`;
    throw invalidInput('--instances', message, remedy);
  }
  const { concurrency = usualConcurrency, budgetS = usualBudgetS } = request;
  const fullestMs = Math.max(1, Math.floor((1000 * comparisonShare * budgetS) / (2 * confirmRounds)));
  const search: SearchStrategy = {
    ...{ kind: 'search', runId: run.runId, candidates: [...candidates] },
    load:
      request.load === 'open'
        ? { kind: 'open', batchSize }
        : { kind: 'closed', batchSize, concurrency: [...new Set(concurrency)].sort((a, b) => a - b) },
    target: {
      percentile: request.percentile ?? 99,
      latencyUs,
      errorPercentage: request.errorPercentage ?? spec.performance.errorPercentage,
    },
    ...{ budgetS, lookMs: lookMs[request.load], fullMs: Math.min(fullMs, fullestMs) },
  };
  const screenS = (search.lookMs * candidates.length) / 1000;
  const least = screenS + Math.min(screenS, (2 * confirmRounds * fullMs) / 1000);
  if (search.budgetS < least) {
    const message = `${candidates.length} configurations take ${Math.ceil(least)} s of load at least`;
    throw invalidInput(
      '--budget',
      message,
      `Give more time (--budget ${Math.ceil(least)}s), or fewer values.`,
    );
  }
  return {
    search,
    spec: { name: request.name, strategy: { ...search, trials: [] }, hosts: null },
    candidates: candidates.map((one) => candidateText(candidates[0] ?? one, one)),
    notes: note === null ? [] : [note],
  };
}
