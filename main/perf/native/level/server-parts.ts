import type { ComposingModelColumns } from '../../../contract/measured/composing';
import type { LoadPoint } from '../../../contract/measured/results';
import { roundUs } from '../../../contract/numbers';
import { present } from '../../../contract/trees';
import type { ComposingModel, Ensemble, EnsembleStep } from '../../../triton/model-traits';
import { criticalPath, type PathTimes, type StepTimes, sumOfSteps } from '../../critical-path';
import {
  batchColumns,
  cacheColumns,
  mergeDeltas,
  serverColumns,
  type ServerDelta,
  timesFault,
} from '../../server-columns';

/** Server counters of a window. */
export interface CountedWindow {
  /** null: counters were reset within the window. */
  readonly server: ServerDelta | null;
  /** Counters per composing model of an ensemble. */
  readonly composing?: readonly { readonly modelName: string; readonly server: ServerDelta | null }[];
}

/** Sum over windows; null if each saw a restart. */
function mergedDelta(deltas: readonly (ServerDelta | null | undefined)[]): ServerDelta | null {
  const known = deltas.filter((delta) => delta !== null && delta !== undefined);
  return known.length === 0 ? null : mergeDeltas(known);
}

/** null: unknown or implausible. */
const timesOf = (delta: ServerDelta | null): StepTimes | null =>
  delta === null || timesFault(delta) !== null ? null : serverColumns(delta);

const composingDeltas = (windows: readonly CountedWindow[]): readonly (ServerDelta | null)[] =>
  (windows[0]?.composing ?? []).map((_, index) =>
    mergedDelta(windows.map((window) => window.composing?.[index]?.server)),
  );

const servedAs = (
  model: ComposingModel | undefined,
): Pick<ComposingModelColumns, 'instances' | 'maxBatchSize' | 'bls'> =>
  model === undefined
    ? {}
    : { instances: model.instances, maxBatchSize: model.maxBatchSize, ...(model.bls ? { bls: true } : {}) };

/** Columns per composing model; undefined for other models. */
export function composingOf(
  windows: readonly CountedWindow[],
  ensemble: Ensemble | undefined,
): LoadPoint['composing'] {
  const names = windows[0]?.composing?.map(({ modelName }) => modelName) ?? [];
  if (names.length === 0) return undefined;
  const deltas = composingDeltas(windows);
  return names.map((modelName, index) => {
    const delta = deltas[index] ?? null;
    const times = timesOf(delta);
    const us = (name: keyof StepTimes): number | null => (times === null ? null : roundUs(times[name]));
    return {
      modelName,
      modelVersion: delta?.version ?? '',
      requestCount: delta?.success.count ?? null,
      inferenceCount: delta?.inferenceCount ?? null,
      executionCount: delta?.executionCount ?? null,
      queueUs: us('queueUs'),
      computeInputUs: us('computeInputUs'),
      computeInferUs: us('computeInferUs'),
      computeOutputUs: us('computeOutputUs'),
      cacheHitCount: delta?.cacheHit.count ?? null,
      cacheMissCount: delta?.cacheMiss.count ?? null,
      ...servedAs(ensemble?.models[index]),
    };
  });
}

/** Counts of the model itself, without times. */
export function countsOf(windows: readonly CountedWindow[]) {
  const delta = mergedDelta(windows.map(({ server }) => server));
  return {
    cache: delta === null || timesFault(delta) !== null ? null : cacheColumns(delta),
    executedBatches: delta === null || timesFault(delta) !== null ? null : batchColumns(delta),
    meanServerBatch: delta === null ? null : serverColumns(delta).meanServerBatch,
  };
}

interface EnsembleTimes {
  readonly times: PathTimes;
  /** The critical path; false: the sum of all steps, even parallel ones. */
  readonly isPath: boolean;
}

/** Times of an ensemble from its steps; null if any step's times are unknown. */
function ensembleTimes(
  { steps, models }: Ensemble,
  deltas: readonly (ServerDelta | null)[],
): EnsembleTimes | null {
  const modelOf = ({ name, version }: EnsembleStep): ComposingModel | undefined =>
    models.find((model) => model.name === name && model.version === version);
  const walk = (of: readonly EnsembleStep[]): EnsembleTimes | null => {
    const parts = of.map((step): EnsembleTimes | null => {
      const model = modelOf(step);
      if (model === undefined) return null;
      if (model.steps.length > 0) return walk(model.steps);
      const times = timesOf(deltas[models.indexOf(model)] ?? null);
      return times === null ? null : { times: { ...times, path: [model.name] }, isPath: !model.decoupled };
    });
    const known = parts.filter((part) => part !== null);
    if (known.length < parts.length) return null;
    const all = known.map(({ times }) => times);
    const path = known.every(({ isPath }) => isPath) ? criticalPath(of, all) : null;
    return { times: path ?? sumOfSteps(all), isPath: path !== null };
  };
  return walk(steps);
}

type ServerColumn =
  | 'networkServerSendRecvUs'
  | 'serverQueueUs'
  | 'serverComputeInputUs'
  | 'serverComputeInferUs'
  | 'serverComputeOutputUs';

/**
 * Breaks down latency outside the client; null without server counters. Triton's own ensemble times add up parallel
 * steps, so the steps' counters are used.
 * @param outsideUs mean latency minus client time
 */
export function serverParts(
  windows: readonly CountedWindow[],
  ensemble: Ensemble | undefined,
  outsideUs: number,
): Pick<LoadPoint, ServerColumn | 'ensemblePath' | 'serverTimesFault'> {
  const own = mergedDelta(windows.map(({ server }) => server));
  const isEnsemble = ensemble !== undefined && ensemble.steps.length > 0;
  const steps = isEnsemble ? ensembleTimes(ensemble, composingDeltas(windows)) : null;
  const times: StepTimes | null = steps?.times ?? timesOf(own);
  const us = (name: keyof StepTimes): number | null => (times === null ? null : roundUs(times[name]));
  const restUs = times === null ? null : roundUs(outsideUs - times.knownUs);
  return {
    // Negative values are clock noise for one model; for an ensemble they show parallel steps.
    networkServerSendRecvUs: restUs === null || isEnsemble ? restUs : Math.max(0, restUs),
    serverQueueUs: us('queueUs'),
    serverComputeInputUs: us('computeInputUs'),
    serverComputeInferUs: us('computeInferUs'),
    serverComputeOutputUs: us('computeOutputUs'),
    ...(isEnsemble && times !== null
      ? { ensemblePath: steps?.isPath === true ? [...steps.times.path] : [] }
      : {}),
    ...present({ serverTimesFault: times !== null || own === null ? null : timesFault(own) }),
  };
}
