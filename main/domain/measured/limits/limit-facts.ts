import type { LoadPoint } from '../../../contract/measured/results';
import { inContainers, isElsewhere } from '../../../contract/run/engine-kinds';
import { engineOf, performanceOf, specOf } from '../../../contract/run/run-source';
import type { ConfigureSpec, PerformanceSpec } from '../../../contract/run/run-spec';
import type { RunState } from '../../../contract/run/run-state';
import { ofScenario } from '../../../contract/run/sweep';
import { computeUsOf } from '../../predict/fit-service-times';
import type { MeasuredTimes } from '../../predict/predict';
import { isPredictable, predictableRun } from '../../predict/what-if';
import { largestOf } from '../../statistics';
import { type BestPoint, budgetMsOf, measuredPoints } from '../points';

/** What the rules about the limits of a level ask; null: it was not recorded. Times in microseconds, shares 0 to 1. */
export interface LevelFacts {
  readonly point: LoadPoint;
  /** How the model is served; null: a running server's configuration is not in the run. */
  readonly configure: ConfigureSpec | null;
  readonly performance: PerformanceSpec;
  /** All measured levels. */
  readonly points: readonly LoadPoint[];
  readonly avgUs: number;
  readonly queueShare: number;
  readonly computeUs: number;
  readonly computeShare: number;
  /** Client, network and the server's receiving and sending. */
  readonly transferUs: number;
  readonly transferShare: number;
  /** Mean share of the instances at work; null: their number is not known. */
  readonly busyShare: number | null;
  /** Mean use of what computes: the GPUs, else the server's cores; null where neither was read. */
  readonly deviceShare: number | null;
  readonly deviceName: 'GPU' | 'CPU';
  /** Logical cores of the machine that serves; null: it is another one, or the model is on a GPU. */
  readonly cores: number | null;
  readonly budgetUs: number | null;
  /** Requests that are under way at most. */
  readonly underWay: number;
  /** Fitted when first asked for; null: nothing that a predictor could be fed with. */
  readonly times: () => MeasuredTimes | null;
}

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Executions at work at the same time, by Little's law; null where the server does not tell its executions. */
function busyInstances({
  inferencesPerSecond,
  meanServerBatch,
  executedBatches,
  ...point
}: LoadPoint): number | null {
  const rate = inferencesPerSecond / 1e6;
  if (executedBatches !== undefined) {
    const rows = executedBatches.reduce((sum, { batchSize, count }) => sum + batchSize * count, 0);
    const workUs = executedBatches.reduce((sum, { count, computeUs }) => sum + count * computeUs, 0);
    return (rate * workUs) / rows;
  }
  const computeUs = computeUsOf(point);
  return meanServerBatch === null || meanServerBatch === 0 || computeUs === null
    ? null
    : (rate * computeUs) / meanServerBatch;
}

function coresOf(state: RunState, onGpu: boolean): number | null {
  const engine = engineOf(state);
  if (engine === null || isElsewhere(engine) || onGpu || state.environment.cpuCount === 0) return null;
  return state.environment.cpuCount;
}

function onGpuOf(state: RunState, configure: ConfigureSpec | null, { gpus = [] }: LoadPoint): boolean {
  const engine = engineOf(state);
  const asked = engine !== null && inContainers(engine) && engine.gpus.length > 0;
  return configure?.instanceKind !== 'KIND_CPU' && (asked || gpus.length > 0);
}

/** Where the mean latency went. */
function partsOf(point: LoadPoint, avgUs: number) {
  const known = computeUsOf(point);
  const [queueUs, computeUs] = [point.serverQueueUs ?? 0, known ?? 0];
  const clientUs = (point.clientSendUs ?? 0) + (point.clientRecvUs ?? 0);
  const transferUs = known === null ? clientUs : Math.max(0, avgUs - queueUs - computeUs);
  return {
    avgUs,
    computeUs,
    transferUs,
    queueShare: queueUs / avgUs,
    computeShare: computeUs / avgUs,
    transferShare: transferUs / avgUs,
  };
}

function deviceOf(state: RunState, point: LoadPoint, configure: ConfigureSpec | null) {
  const onGpu = onGpuOf(state, configure, point);
  const utilization = mean((point.gpus ?? []).flatMap((gpu) => gpu.utilization ?? []));
  return {
    deviceShare: onGpu ? utilization : (point.serverCpuShare ?? null),
    deviceName: onGpu ? 'GPU' : 'CPU',
    cores: coresOf(state, onGpu),
  } as const;
}

function servedOf(state: RunState, point: LoadPoint, configure: ConfigureSpec | null) {
  if (configure === null) return { busyShare: null, times: () => null };
  const busy = busyInstances(point);
  let times: MeasuredTimes | null | undefined;
  return {
    busyShare: busy === null ? null : Math.min(1, busy / configure.instances),
    times: () => {
      if (times !== undefined) return times;
      const run = predictableRun(state);
      times = isPredictable(run) ? run.times : null;
      return times;
    },
  };
}

/** Null for a level whose mean latency is not known, and for what was imported. */
export function levelFacts(state: RunState, { scenario, point }: BestPoint): LevelFacts | null {
  const settings = performanceOf(state);
  const { avgUs } = point;
  if (settings === null || avgUs === null || avgUs <= 0) return null;
  const configure = specOf(state)?.configure ?? null;
  const points = measuredPoints(state).map((best) => best.point);
  const budgetMs = budgetMsOf(state);
  return {
    point,
    configure,
    points,
    performance: ofScenario(settings, scenario),
    budgetUs: budgetMs === null ? null : 1000 * budgetMs,
    underWay: point.requestRate === undefined ? point.concurrency : Infinity,
    ...partsOf(point, avgUs),
    ...deviceOf(state, point, configure),
    ...servedOf(state, point, configure),
  };
}

/** Largest batch whose execution time a run has measured; 0 without any. */
export const largestMeasuredBatch = ({ times }: LevelFacts): number =>
  Math.max(0, largestOf(times()?.serviceTimes.map(({ batch }) => batch) ?? []));
