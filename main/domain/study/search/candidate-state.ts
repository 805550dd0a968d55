import type { LoadPoint } from '../../../contract/measured/results';
import type { DeployedRun } from '../../../contract/run/run-state';
import { mostUnderWay } from '../../../contract/run/sweep';
import type { Look, Searched, SearchStrategy } from '../../../contract/study/search';
import { present } from '../../../contract/trees';
import { largestOf, medianOf } from '../../statistics';
import { armOf, isPromise, keepsRate, rateAt, type Step, stepsOf } from './arms';
import { candidateText } from './candidates';
import { modelOf } from './search-models';
import { searchedMemory } from './searched-memory';

type Measured = NonNullable<Look['measured']>;
type Gpu = NonNullable<Measured['gpus']>[number];

const percentiles = ['p50Us', 'p90Us', 'p95Us'] as const;

const medianBy = <Of>(all: readonly Of[], read: (one: Of) => number): number => medianOf(all.map(read));

/** null where one of them is not known. */
function knownMedian(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : medianOf(known);
}

function scheduledOf(all: readonly Measured[]): LoadPoint['scheduled'] {
  const known = all.flatMap(({ scheduled }) => scheduled ?? []);
  if (known.length === 0 || known.length < all.length) return undefined;
  return {
    avgUs: medianBy(known, ({ avgUs }) => avgUs),
    p50Us: medianBy(known, ({ p50Us }) => p50Us),
    p90Us: medianBy(known, ({ p90Us }) => p90Us),
    p95Us: medianBy(known, ({ p95Us }) => p95Us),
    p99Us: medianBy(known, ({ p99Us }) => p99Us),
    maxUs: largestOf(known.map(({ maxUs }) => maxUs)),
    delayedCount: known.reduce((sum, { delayedCount }) => sum + delayedCount, 0),
  };
}

/** Each GPU over the looks that read it. */
function gpusOf(all: readonly Measured[]): readonly Gpu[] {
  const readings = all.flatMap(({ gpus = [] }) => gpus);
  const uuids = [...new Set(readings.map(({ uuid }) => uuid))];
  return uuids.map((uuid) => {
    const own = readings.filter((reading) => reading.uuid === uuid);
    const most = (read: (gpu: Gpu) => number | null): number | null => {
      const known = own.map(read).filter((value) => value !== null);
      return known.length === 0 ? null : largestOf(known);
    };
    return {
      uuid,
      utilization: knownMedian(own.map(({ utilization }) => utilization)),
      powerW: knownMedian(own.map(({ powerW }) => powerW)),
      maxMemoryBytes: most(({ maxMemoryBytes }) => maxMemoryBytes),
      totalMemoryBytes: most(({ totalMemoryBytes }) => totalMemoryBytes),
    };
  });
}

/**
 * What was sent at a step of the ladder, and the rate that has to be answered; null: none has. A model that is searched with
 * others has the step times its own rate.
 */
function sentAt(search: SearchStrategy, { step, looks: [first] }: Step, measured: readonly Measured[]) {
  const { load } = search;
  if (load.kind === 'closed') return { dueRate: null, sent: { concurrency: load.concurrency[step] ?? 1 } };
  const own = first?.load;
  const requestRate = own !== undefined && 'requestRate' in own ? own.requestRate : rateAt(search, step);
  const open = { concurrency: mostUnderWay, requestRate };
  // All requests of a trace are sent, however late they are answered.
  return load.replay === undefined
    ? { dueRate: requestRate, sent: { ...open, requestDistribution: 'poisson' as const } }
    : {
        dueRate: null,
        sent: {
          ...open,
          requestDistribution: 'replay' as const,
          ...present({ replay: measured.at(-1)?.replay }),
        },
      };
}

/** The looks at one load as a measured level: medians of the latencies, means of the rates. null: of an earlier version. */
function levelOf(
  { source: { spec } }: DeployedRun,
  search: SearchStrategy,
  candidate: number,
  step: Step,
): LoadPoint | null {
  const { looks, inferencesPerSecond } = step;
  const measured = looks.flatMap(({ measured: one }) => one ?? []);
  if (measured.length === 0 || measured.length < looks.length) return null;
  const { load, target } = search;
  const batchSize = search.candidates[candidate - 1]?.batchSize ?? load.batchSize;
  const { dueRate, sent } = sentAt(search, step, measured);
  const requestCount = looks.reduce((sum, look) => sum + look.requestCount, 0);
  const errorCount = looks.reduce((sum, look) => sum + look.errorCount, 0);
  const failedPercent = (100 * errorCount) / Math.max(1, requestCount + errorCount);
  const isReached = dueRate === null || keepsRate(looks, dueRate, batchSize);
  const [p50Us = null, p90Us = null, p95Us = null] = percentiles.map((name) =>
    knownMedian(measured.map((one) => one[name])),
  );
  const p99Us = medianBy(measured, (one) => one.p99Us);
  const scheduled = scheduledOf(measured);
  const gpus = gpusOf(measured);
  return {
    ...sent,
    ...{ batchSize, inferencesPerSecond, p50Us, p90Us, p95Us, p99Us, requestCount, errorCount },
    avgUs: knownMedian(measured.map(({ avgUs }) => avgUs)),
    ...(scheduled === undefined ? {} : { scheduled }),
    ...(gpus.length === 0 ? {} : { gpus: [...gpus] }),
    stable: true,
    flags: [
      ...(failedPercent > target.errorPercentage ? (['errors'] as const) : []),
      ...(isReached ? [] : (['rate-not-reached'] as const)),
      ...(looks.some(({ overSaturated }) => overSaturated === true) ? (['over-saturated'] as const) : []),
    ],
    ...{ loadTool: 'native', protocol: spec.performance.protocol, windows: [], elapsedUs: null },
    meanServerBatch: knownMedian(looks.map(({ meanServerBatch }) => meanServerBatch)),
    serverQueueUs: knownMedian(looks.map(({ serverQueueUs }) => serverQueueUs)),
    ...{ clientSendUs: null, networkServerSendRecvUs: null, clientRecvUs: null, throughputIntervalIps: null },
    ...{ serverComputeInputUs: null, serverComputeInferUs: null, serverComputeOutputUs: null },
  };
}

const presentCandidate = 1;

interface CandidateInput {
  /** Of the search. */
  readonly name: string;
  readonly search: SearchStrategy;
  readonly searched: Searched;
  /** Memory of the machine that serves; absent: not known. */
  readonly hostBytes?: number | null | undefined;
  /** Without rates above the one that may be promised that were held only briefly. */
  readonly promised?: boolean;
}

function stepsFor({ search, searched, promised = false }: CandidateInput, candidate: number) {
  const steps = stepsOf(search, searched.looks, candidate);
  const { best } = armOf(search, searched, candidate);
  if (!promised || best === null || !isPromise(search)) return steps;
  const kept = steps.filter(({ step, held }) => step <= best || !held);
  // A search that was cut short may have measured higher ones only.
  return kept.some(({ held }) => held) ? kept : steps;
}

/**
 * The run as one candidate of a search was measured: its configuration, and a level of each load at which it was measured.
 * What a capacity is planned with. Pure.
 */
export function candidateState(run: DeployedRun, input: CandidateInput, candidate: number): DeployedRun {
  const { name, search, searched, hostBytes = null } = input;
  const { source } = run;
  const [first, own] = [search.candidates[0], search.candidates[candidate - 1]];
  if (first === undefined || own === undefined) throw new Error(`No candidate ${candidate}`);
  const { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } = own;
  const { format, precision, backendAccelerator } = {
    ...modelOf(source.spec),
    ...present({ format: own.format, precision: own.precision, backendAccelerator: own.backendAccelerator }),
  };
  const changed = { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads };
  const points = stepsFor(input, candidate).flatMap((step) => {
    const point = levelOf(run, search, candidate, step);
    return point === null ? [] : [{ key: `${name} ${candidate} ${step.step}`, point }];
  });
  const { percentile, latencyUs } = search.target;
  return {
    ...run,
    source: {
      ...source,
      spec: {
        ...source.spec,
        ...{ format, precision },
        configure: { ...source.spec.configure, ...changed, backendAccelerator },
      },
    },
    name: `search ${name}, ${candidateText(first, own)}`,
    scenarios: { offline: { points: [], missing: [] }, online: { points, missing: [] } },
    ...{ earlier: { offline: [], online: [] }, again: [] },
    memory:
      searchedMemory(search, searched, candidate, hostBytes) ??
      (candidate === presentCandidate ? run.memory : null),
    // Of another percentile it is no p99.
    p99BudgetMs: percentile === 99 && latencyUs !== null ? latencyUs / 1000 : null,
  };
}
