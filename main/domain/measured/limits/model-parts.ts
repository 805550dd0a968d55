import type { ComposingModelColumns } from '../../../contract/measured/composing';
import type { LoadPoint } from '../../../contract/measured/results';

/** What one model takes of the mean latency of a level; microseconds, per request of the measured model. */
export interface ModelPart {
  readonly modelName: string;
  readonly queueUs: number;
  /** Input, inference and output. */
  readonly computeUs: number;
  /** Both. */
  readonly us: number;
  /** null: not known. */
  readonly instances: number | null;
  /** Called by the measured model itself, within its compute. */
  readonly bls: boolean;
}

/** An ensemble inside another has the times of its steps again. */
const isEnsemble = ({ instances }: ComposingModelColumns): boolean => instances === null;

/** How often a request of the measured model has one of this. */
function callsOf({ ensemblePath = [], requestCount }: LoadPoint, part: ComposingModelColumns): number {
  const steps = ensemblePath.filter((name) => name === part.modelName).length;
  if (part.bls !== true) return Math.max(1, steps);
  return part.requestCount === null || requestCount === null
    ? 1
    : part.requestCount / Math.max(1, requestCount);
}

/**
 * What the models of an ensemble, or those that a model calls by BLS, take of a request, in their order: of an ensemble those
 * of its longest path, where it is known. Empty for other models, and where a time is not known.
 */
export function modelParts(point: LoadPoint): readonly ModelPart[] {
  const { composing = [], ensemblePath = [] } = point;
  const steps = composing.filter((part) => part.bls !== true && !isEnsemble(part));
  const onPath = steps.filter(
    ({ modelName }) => ensemblePath.length === 0 || ensemblePath.includes(modelName),
  );
  // Those that a step of an ensemble calls are within that step's time.
  const counted = steps.length > 0 ? onPath : composing.filter((part) => !isEnsemble(part));
  if (counted.some(({ queueUs }) => queueUs === null)) return [];
  return counted.map((part) => {
    const calls = callsOf(point, part);
    const queueUs = (part.queueUs ?? 0) * calls;
    const computeUs =
      ((part.computeInputUs ?? 0) + (part.computeInferUs ?? 0) + (part.computeOutputUs ?? 0)) * calls;
    return {
      ...{ modelName: part.modelName, queueUs, computeUs, us: queueUs + computeUs },
      ...{ instances: part.instances ?? null, bls: part.bls === true },
    };
  });
}

/** Name of the rest of a request's mean latency, which none of its models takes. */
export const restName = 'Client, network and rest';

/** The names of all parts of these levels, in the order of their bars; empty for other models. */
export function partNames(points: readonly LoadPoint[]): readonly string[] {
  const names = new Set(points.flatMap((point) => modelParts(point).map(({ modelName }) => modelName)));
  return names.size === 0 ? [] : [...names, restName];
}

/** Milliseconds of a part of the mean latency; null: not known. @param name one of {@link partNames} */
export function partMs(point: LoadPoint, name: string): number | null {
  const parts = modelParts(point);
  if (parts.length === 0) return null;
  if (name !== restName) {
    const us = parts.reduce((sum, part) => sum + (part.modelName === name ? part.us : 0), 0);
    return us / 1000;
  }
  if (point.avgUs === null) return null;
  // Means of parallel steps may exceed the mean of the whole.
  return Math.max(0, point.avgUs - parts.reduce((sum, { us }) => sum + us, 0)) / 1000;
}
