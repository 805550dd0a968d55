import type { Preset } from '../contract/preset';
import type { PublishedGpu } from '../contract/published-gpu';
import { publishedGpus } from '../contract/published-gpu';

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Why the published defaults of a chosen GPU are not taken; null when they are. */
export type GpuDefaultsOff = 'quick' | 'cpu' | null;

/** A server elsewhere is taken to have the GPU; the local Triton and images for the CPU have none. */
function servesOnGpu(engine: unknown): boolean {
  const { kind = 'docker', images, gpus } = isTree(engine) ? engine : ({} as Tree);
  if (kind !== 'docker') return kind === 'remote';
  return images !== 'cpu' && !(Array.isArray(gpus) && gpus.length === 0);
}

/** The GPU that the choice names, if anything is published of the preset on it. */
export function chosenGpu(preset: Preset, overrides: Tree): PublishedGpu | null {
  const gpu = publishedGpus.find((known) => known === overrides['targetGpu']);
  return gpu !== undefined && preset.byGpu?.[gpu] !== undefined ? gpu : null;
}

/**
 * Whether published defaults of a GPU hold for this choice: they are of the published size, and for a server with a GPU.
 * @param engine as chosen, in any state of completeness; a GPU asks for containers where nobody says another place.
 */
export function gpuDefaultsOff(profile: unknown, engine: unknown): GpuDefaultsOff {
  if (profile !== 'full') return 'quick';
  return servesOnGpu(engine) ? null : 'cpu';
}

/** Containers with all GPUs, unless the choice says where it is to run. */
export function gpuEngine(overrides: Tree): Tree {
  const engine = isTree(overrides['engine']) ? overrides['engine'] : {};
  const { kind = 'docker' } = engine;
  return kind === 'docker' ? { engine: { kind: 'docker', gpus: ['all'] } } : {};
}
