import type { DockerEngineSpec, RunSpec } from './run-spec';

/** `cpu`: built here from `resources/docker`; `ngc`: NVIDIA's. GPUs need NVIDIA's images. */
export function imageFamily(engine: DockerEngineSpec): 'cpu' | 'ngc' {
  return engine.images ?? (engine.gpus.length > 0 ? 'ngc' : 'cpu');
}

export const backendSets = ['python', 'all'] as const;

/**
 * Backends of the Triton that serves: the PyPI wheel, here and in the images for the CPU, has the Python backend alone;
 * NVIDIA's images have all of them, and so is taken for a server that runs already.
 */
export type BackendSet = (typeof backendSets)[number];

export function backendsOf(engine: RunSpec['engine']): BackendSet {
  if (engine.kind === 'local') return 'python';
  return engine.kind === 'docker' && imageFamily(engine) === 'cpu' ? 'python' : 'all';
}
