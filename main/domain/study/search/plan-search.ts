import { invalidInput } from '../../../contract/errors';
import { formatBytes, formatMs } from '../../../contract/numbers';
import type { RunSpec } from '../../../contract/run/run-spec';
import type { DeployedRun } from '../../../contract/run/run-state';
import { budgetLatencyUs, rateOfReplay } from '../../../contract/run/sweep';
import type { SearchRequest, SearchServer, SearchStrategy } from '../../../contract/study/search';
import type { SearchPlan } from '../../../contract/study/study';
import { present } from '../../../contract/trees';
import { budgetMsOf, measuredPoints } from '../../measured/points';
import { candidatesOf, candidateText, mostCandidates, type SearchMachine } from './candidates';
import { confirmRounds } from './next-looks';
import { objectiveText } from './objective';
import { noModels, type PlannedModels, preparing, trialsOf, type UnmadeRun } from './plan-models';
import { replayIn, replayLines, replayOf, requireReplayable } from './replay-load';
import { modelOf } from './search-models';

/** Of an answer to one request at a time: a target that leaves room for a queue. */
const unhurriedTimes = 3;
const usualConcurrency = [1, 2, 4, 8, 16, 32];
const lookMs = { open: 1500, closed: 900 } as const;
/** What is promised is to hold for longer than what is the most in flight. */
const fullMs = { open: 6000, closed: 3000 } as const;
/** The last comparison takes no more than this share of the budget, as long as its looks are not shorter than the others. */
const comparisonShare = { open: 2 / 5, closed: 1 / 4 } as const;
const usualBudgetS = 300;

/** p99 of the level with the least load; null: none was measured. */
function lowestP99Us(run: DeployedRun | UnmadeRun): number | null {
  const points = run.runId === null ? [] : measuredPoints(run).map(({ point }) => point);
  const [alone] = points.toSorted(
    (one, other) => one.concurrency * one.batchSize - other.concurrency * other.batchSize,
  );
  return alone === undefined ? null : budgetLatencyUs(alone);
}

/** A percentile of fewer requests is that of a handful. */
const fewestRequests = 400;
const longestMs = 10_000;
/** A third at most is warm-up. */
const countedShare = 2 / 3;

/** Milliseconds of a look; longer where only one rate is sent, and it is low. @param mostMs that the budget leaves for each */
export const windowMs = (usualMs: number, rate: number | undefined, mostMs: number): number =>
  rate === undefined
    ? usualMs
    : Math.round(
        Math.max(usualMs, Math.min(longestMs, mostMs, (1000 * fewestRequests) / (countedShare * rate))),
      );

/** Throws input-invalid for limits that nothing can be held against. */
function requireLimits({ memory, server }: SearchRequest, { onGpu }: Pick<SearchMachine, 'onGpu'>): void {
  if (memory !== undefined && server !== undefined) {
    const message =
      'The memory of a configuration cannot be measured on a Triton that also serves other models';
    throw invalidInput(
      memory.gpuBytes === undefined ? '--host-memory' : '--gpu-memory',
      message,
      'Search for it without -u, on a Triton that the workbench starts.',
    );
  }
  if (memory?.gpuBytes !== undefined && !onGpu) {
    const message = 'The run serves on a CPU, so there is no GPU memory to limit';
    throw invalidInput('--gpu-memory', message, 'Limit the host memory with --host-memory.');
  }
}

/** Throws input-invalid for an objective without what it needs. */
function requireConsistent({ objective, rate, replay, load, space }: SearchRequest): void {
  const isLatency = objective?.kind === 'latency';
  if (isLatency && rate === undefined && replay === undefined) {
    const message = '--objective latency needs a rate';
    throw invalidInput(
      '--rate',
      message,
      'Give the requests per second, for example --rate 500, or a trace with --replay.',
    );
  }
  if (rate !== undefined && !isLatency) {
    const message = 'A rate applies only to the objective "latency"';
    throw invalidInput('--rate', message, 'Add --objective latency, or leave the rate out.');
  }
  if (isLatency && load === 'closed') {
    const message = '--objective latency searches at a rate, which is an open load';
    throw invalidInput('--load', message, 'Leave --load out.');
  }
  if (isLatency && space.batchSize !== undefined) {
    const message = 'One rate cannot apply to several request sizes';
    throw invalidInput('--batch-sizes', message, 'Search for the lowest latency of one batch size.');
  }
}

const noLevel = 'The run has no p99 budget and no level';

/** The latency that is to be kept, and where it is from. */
function targetOf(run: DeployedRun | UnmadeRun, { latencyUs, percentile = 99, objective }: SearchRequest) {
  const name = `p${percentile}`;
  if (latencyUs === undefined && objective?.kind === 'latency') {
    return { latencyUs: null, note: `The lowest ${name} is searched for, without a latency limit.` };
  }
  if (latencyUs !== undefined) return { latencyUs, note: `Target: ${name} ${formatMs(latencyUs)} ms.` };
  const budgetMs = run.runId === null ? run.p99BudgetMs : budgetMsOf(run);
  if (budgetMs !== null) {
    const note = `Target: ${name} ${formatMs(budgetMs * 1000)} ms, the p99 budget of the run.`;
    return { latencyUs: Math.round(budgetMs * 1000), note };
  }
  const aloneUs = lowestP99Us(run);
  if (aloneUs === null) {
    throw invalidInput(
      '--p99',
      run.runId === null ? 'The model was not measured, so a target cannot be derived' : noLevel,
      'Give a target, for example --p99 20ms.',
    );
  }
  const latest = Math.round(unhurriedTimes * aloneUs);
  const note = `Target: ${name} ${formatMs(latest)} ms, ${unhurriedTimes} times the p99 of the lowest level.`;
  return { latencyUs: latest, note };
}

/** What is searched for, where that is not the usual. */
function goalNotes(search: SearchStrategy): readonly string[] {
  const { gpuBytes, hostBytes } = search.memory ?? {};
  const replay = replayIn(search);
  return [
    ...(search.objective === undefined ? [] : [`${objectiveText(search)}.`]),
    ...(replay === null ? [] : replayLines(replay).map((line) => `${line}.`)),
    ...(gpuBytes === undefined ? [] : [`GPU memory: at most ${formatBytes(gpuBytes)}.`]),
    ...(hostBytes === undefined ? [] : [`Host memory: at most ${formatBytes(hostBytes)}.`]),
  ];
}

/** Throws input-invalid for a budget without one look at each and the last comparison, at least as long as that. */
function requireEnough({
  budgetS,
  candidates,
  load,
  lookMs: eachMs,
  fullMs: comparedMs,
}: SearchStrategy): void {
  const screenS = (eachMs * candidates.length) / 1000;
  const comparisonS = (2 * confirmRounds * comparedMs) / 1000;
  const isOneRate = load.kind === 'open' && load.rate !== undefined;
  const least = screenS + (isOneRate ? comparisonS : Math.min(screenS, comparisonS));
  if (budgetS >= least) return;
  const message = `${candidates.length} configurations need at least ${Math.ceil(least)} s of load`;
  throw invalidInput('--budget', message, `Give more time (--budget ${Math.ceil(least)}s), or fewer values.`);
}

/** Throws input-invalid for more configurations than a search compares. */
function requireFew(count: number): void {
  if (count <= mostCandidates) return;
  const remedy = 'Give fewer values of some fields, for example --instances 1,2.';
  const message = `${count} configurations are more than a search compares: ${mostCandidates}`;
  throw invalidInput('--instances', message, remedy);
}

/** What is sent, and the items of the largest request. */
function loadOf(
  request: SearchRequest,
  { performance }: RunSpec,
): { readonly load: SearchStrategy['load']; readonly largestBatchSize: number } {
  const { concurrency = usualConcurrency, objective } = request;
  const replay = replayOf(request);
  const largest = replay?.read.largestBatchSize;
  // Of a request whose size a trace does not say.
  const usualBatchSize = largest === undefined ? performance.onlineBatchSize : 1;
  const batchSize = request.batchSize ?? usualBatchSize;
  const largestBatchSize = largest ?? batchSize;
  if (request.load === 'closed') {
    const ascending = [...new Set(concurrency)].sort((a, b) => a - b);
    return { load: { kind: 'closed', batchSize, concurrency: ascending }, largestBatchSize };
  }
  const rate = objective?.kind === 'latency' && replay !== null ? rateOfReplay(replay) : request.rate;
  return { load: { kind: 'open', batchSize, ...present({ rate, replay }) }, largestBatchSize };
}

/** The search that a request asks for. Throws input-invalid. Pure. */
export function planSearch(
  run: DeployedRun | UnmadeRun,
  request: SearchRequest & { readonly name: string },
  machine: Omit<SearchMachine, 'targetUs'> & { readonly server?: SearchServer | undefined },
  models: PlannedModels = noModels,
): SearchPlan {
  const { spec } = run.source;
  requireReplayable(request, spec);
  requireConsistent(request);
  requireLimits(request, machine);
  const { latencyUs, note } = targetOf(run, request);
  const { load, largestBatchSize } = loadOf(request, spec);
  const { batchSize } = load;
  const candidates = candidatesOf(
    spec.configure,
    request.space,
    { ...machine, targetUs: latencyUs ?? lowestP99Us(run) ?? 0 },
    {
      model: {
        present: modelOf(spec),
        tried: models.tried.length === 0 ? [modelOf(spec)] : models.tried.map(({ model }) => model),
      },
      batchSize: { present: batchSize, tried: request.space.batchSize ?? [batchSize] },
      largestBatchSize,
    },
  );
  requireFew(candidates.length);
  const { budgetS = usualBudgetS } = request;
  const rate = load.kind === 'open' ? load.rate : undefined;
  // One of each and the last comparison in half of the budget: the rest is for the race.
  const eachMs = (1000 * budgetS) / (2 * (candidates.length + 2 * confirmRounds));
  const looksOf = {
    ms: windowMs(lookMs[request.load], rate, eachMs),
    fullMs: windowMs(fullMs[request.load], rate, eachMs),
  };
  const affordedMs = Math.floor((1000 * comparisonShare[request.load] * budgetS) / (2 * confirmRounds));
  const search: SearchStrategy = {
    ...{ kind: 'search', runId: run.runId, candidates: [...candidates] },
    load,
    target: {
      percentile: request.percentile ?? 99,
      latencyUs,
      errorPercentage: request.errorPercentage ?? spec.performance.errorPercentage,
    },
    ...present({
      part: request.part,
      objective: request.objective,
      memory: request.memory,
      server: machine.server,
      host: request.host,
    }),
    budgetS,
    lookMs: looksOf.ms,
    fullMs: Math.min(looksOf.fullMs, Math.max(looksOf.ms, affordedMs)),
  };
  requireEnough(search);
  const trials = [...trialsOf(candidates, models)];
  return {
    search,
    spec: { name: request.name, strategy: { ...search, trials }, hosts: null },
    candidates: candidates.map((one) => candidateText(candidates[0] ?? one, one)),
    notes: [...goalNotes(search), note, ...models.notes, ...preparing(spec, candidates, models)],
  };
}
