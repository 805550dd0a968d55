import { isOfPytorch } from '../contract/run/model-formats';
import type { Preset } from '../contract/run/preset';
import { type EngineKind, type Format, type PublishedGpu, publishedGpus } from '../contract/run/run-spec';
import { getAt, isTree, setAt, type Tree } from '../contract/trees';

/** Why a GPU's published defaults do not apply, or not those that need it; null when they do. */
type GpuDefaultsOff = 'quick' | 'cpu' | null;

/** A server elsewhere is assumed to have the GPU; the local Triton and CPU images have none. */
function servesOnGpu(engine: unknown): boolean {
  const { kind = 'docker', images, gpus } = isTree(engine) ? engine : ({} as Tree);
  if (kind !== 'docker') return kind === 'remote';
  return images !== 'cpu' && !(Array.isArray(gpus) && gpus.length === 0);
}

/** The chosen GPU, if the preset has published figures of it. */
export function chosenGpu(preset: Preset, overrides: Tree): PublishedGpu | null {
  const gpu = publishedGpus.find((known) => known === overrides['targetGpu']);
  return gpu !== undefined && preset.byGpu?.[gpu] !== undefined ? gpu : null;
}

/** Published for the full size and a GPU server. @param engine possibly incomplete; a GPU implies containers */
export function gpuDefaultsOff(profile: unknown, engine: unknown): GpuDefaultsOff {
  if (profile !== 'full') return 'quick';
  return servesOnGpu(engine) ? null : 'cpu';
}

/** Containers with one GPU, as published, unless the choice says where to run. */
export function gpuEngine(overrides: Tree): Tree {
  const engine = isTree(overrides['engine']) ? overrides['engine'] : {};
  const { kind = 'docker' } = engine;
  return kind === 'docker' ? { engine: { kind: 'docker', gpus: ['idlest'] } } : {};
}

/** TorchScript in half precision works on a CPU, many times slower. */
const halfOnCpu = (value: unknown, format: Format | undefined): boolean =>
  value === 'fp16' && isOfPytorch(format);

export const planText = 'the format trt';

const ofGpu: readonly {
  readonly path: readonly [string, ...string[]];
  readonly needs: (value: unknown, format: Format | undefined) => boolean;
  readonly text: (value: unknown) => string;
}[] = [
  { path: ['format'], needs: (value) => value === 'trt', text: () => planText },
  { path: ['precision'], needs: halfOnCpu, text: () => 'TorchScript in fp16' },
  {
    path: ['configure', 'instanceKind'],
    needs: (value) => value === 'KIND_GPU',
    text: () => 'instances of KIND_GPU',
  },
  {
    path: ['configure', 'backendAccelerator'],
    needs: (value) => value !== 'none',
    text: (value) => `the backend accelerator "${String(value)}"`,
  },
  { path: ['configure', 'captureCudaGraph'], needs: (value) => value === true, text: () => 'CUDA graphs' },
  {
    path: ['performance', 'sharedMemory'],
    needs: (value) => value === 'cuda',
    text: () => 'CUDA shared memory',
  },
];

/** Value of the last layer that has one. */
const saidBy = (layers: readonly Tree[], path: readonly string[]): unknown =>
  layers.map((layer) => getAt(layer, path)).findLast((value) => value !== undefined);

/** Published layers of the GPU, lowest first, for this kind of server. */
export function publishedLayers(
  preset: Preset,
  gpu: PublishedGpu,
  at: { readonly format: Format | undefined; readonly place: EngineKind | undefined },
): readonly Tree[] {
  const published = preset.byGpu?.[gpu];
  if (published === undefined) return [];
  const { format, place } = at;
  const ofFormat = (layer: Preset['byFormat']): Tree => (format === undefined ? {} : (layer?.[format] ?? {}));
  return [
    preset.defaults,
    ofFormat(preset.byFormat),
    published.defaults,
    ofFormat(published.byFormat),
    place === undefined ? {} : (published.byEngine?.[place] ?? {}),
  ];
}

export function gpuSettings(preset: Preset, gpu: PublishedGpu, format: Format): readonly string[] {
  const layers = publishedLayers(preset, gpu, { format, place: 'docker' });
  return ofGpu.flatMap(({ path, needs, text }) => {
    const value = saidBy(layers, path);
    return value !== undefined && needs(value, format) ? [text(value)] : [];
  });
}

/** Published layers for a server without a GPU; what needs one is taken from `own`, which is complete. */
export function layersWithoutGpu(
  layers: readonly Tree[],
  own: Tree,
  format: Format | undefined,
): readonly Tree[] {
  const kept = ofGpu.flatMap(({ path, needs }) => {
    const value = saidBy(layers, path);
    if (value === undefined || !needs(value, format)) return [];
    // Tolerances belong to a precision.
    const along = path[0] === 'precision' ? [{ accuracy: own['accuracy'] }] : [];
    return [setAt({}, path, getAt(own, path)), ...along];
  });
  return [...layers, ...kept];
}

interface OnlineConcurrencyInput {
  readonly maxBatchSize: number;
  readonly modelInstances: number;
  readonly tritonInstances?: number;
  /** Largest concurrency; the seeds use 256, Wide & Deep's 128. */
  readonly cap?: number;
}

const defaultCap = 256;
const steps = 32;

/**
 * The seeds' online sweep: twice the items that all instances take, spread over at most `cap` requests, in about 32
 * steps; `batchSize`: items per request. Throws a RangeError unless all are positive integers.
 */
export function onlineConcurrency(input: OnlineConcurrencyInput) {
  const { maxBatchSize, modelInstances, tritonInstances = 1, cap = defaultCap } = input;
  for (const value of [maxBatchSize, modelInstances, tritonInstances, cap]) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${value} is not a positive integer`);
  }
  const total = 2 * maxBatchSize * tritonInstances * modelInstances;
  const highest = Math.min(cap, total);
  const step = Math.max(1, Math.floor(highest / steps));
  const concurrency: number[] = [];
  for (let value = step; value <= highest; value += step) concurrency.push(value);
  return { batchSize: Math.max(1, Math.floor(total / cap)), concurrency };
}
