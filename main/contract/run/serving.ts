import { z } from 'zod';
import type { KubernetesEngineSpec } from '../job/job-engines';
import { isJobEngine } from '../job/run-job';
import type { DockerEngineSpec, EngineKind, RunSpec } from './run-spec';

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
  if (engine.kind === 'kubernetes') return engine.triton === 'home' ? 'python' : 'all';
  // Without a container it is the wheel of the home, on the node.
  if (engine.kind === 'slurm') return (engine.container ?? 'none') === 'none' ? 'python' : 'all';
  return engine.kind === 'docker' && imageFamily(engine) === 'cpu' ? 'python' : 'all';
}

/** A slice of a GPU, by UUID or as "GPU:instance". */
export const isSlice = (id: string): boolean => id.startsWith('MIG-') || /^\d+:\d+$/.test(id);

/** As many as the pod asks for; null: it does not say, which leaves it to the cluster. */
function podGpus({ gpuCount, gpuResource = '' }: KubernetesEngineSpec): readonly number[] | null {
  if (gpuCount === undefined) return null;
  const count = gpuResource.includes('/mig-') ? Math.min(1, gpuCount) : gpuCount;
  return Array.from({ length: count }, (_none, index) => index);
}

/**
 * GPUs as Triton numbers those of its container; null where their number is not known: all of a machine, or those of a
 * server elsewhere. A process of CUDA uses one MIG device, whatever its container has. Pure.
 */
export function visibleGpus(engine: RunSpec['engine']): readonly number[] | null {
  if (engine.kind === 'remote') return null;
  if (isJobEngine(engine)) {
    return backendsOf(engine) === 'python' ? [] : engine.kind === 'kubernetes' ? podGpus(engine) : null;
  }
  if (engine.kind === 'local' || imageFamily(engine) === 'cpu') return [];
  const ids = new Set(engine.gpus);
  if (ids.has('all')) return null;
  const isOne = ids.has('idlest') || [...ids].some(isSlice);
  return isOne ? [0] : [...ids].map((_id, index) => index);
}

const groupSchema = z.looseObject({
  kind: z.enum(['KIND_AUTO', 'KIND_GPU', 'KIND_CPU', 'KIND_MODEL']).default('KIND_AUTO'),
  count: z.int().min(1).default(1),
  gpus: z.array(z.int()).default([]),
});
type InstanceGroup = z.infer<typeof groupSchema>;

/** Groups that an edit of config.pbtxt by hand has in place of the generated one; null: it has none. */
export function editedGroups({
  configPatch,
}: Pick<RunSpec['configure'], 'configPatch'>): InstanceGroup[] | null {
  const edited = configPatch['instanceGroup'] ?? configPatch['instance_group'];
  return z.array(groupSchema).min(1).safeParse(edited).data ?? null;
}

/** What the fields alone lead to: GPUs that are chosen are named, as Triton else takes every one that it sees. */
export function instanceGroupOf({
  configure,
  engine,
}: Pick<RunSpec, 'configure' | 'engine'>): Pick<InstanceGroup, 'kind' | 'count'> & { gpus?: number[] } {
  const { instances: count, instanceKind: kind } = configure;
  if (backendsOf(engine) === 'python') return { count, kind: kind === 'KIND_AUTO' ? 'KIND_CPU' : kind };
  const gpus = visibleGpus(engine) ?? [];
  return kind === 'KIND_CPU' || gpus.length === 0
    ? { count, kind }
    : { count, kind: 'KIND_GPU', gpus: [...gpus] };
}

const machineWord: Readonly<Record<EngineKind, string>> = {
  local: 'machine',
  docker: 'machine',
  remote: 'server',
  slurm: 'node',
  kubernetes: 'node',
};

function groupText({ kind, count, gpus }: InstanceGroup, engine: RunSpec['engine']): string {
  const visible = visibleGpus(engine);
  const onGpu = kind === 'KIND_GPU' || (kind === 'KIND_AUTO' && backendsOf(engine) === 'all');
  if (!onGpu || visible?.length === 0) return `${count}, ${kind}`;
  const gpuCount = gpus.length > 0 ? gpus.length : (visible?.length ?? null);
  if (gpuCount === null) return `${count} per GPU of the ${machineWord[engine.kind]}, ${kind}`;
  if (gpuCount === 1) return `${count} on 1 GPU`;
  return `${gpuCount} GPUs × ${count} instance${count === 1 ? '' : 's'} = ${gpuCount * count}`;
}

/** How many instances Triton makes of the model, and on what: "2 GPUs × 2 instances = 4". Pure. */
export function instancesText(spec: Pick<RunSpec, 'configure' | 'engine'>): string {
  const groups = editedGroups(spec.configure) ?? [groupSchema.parse(instanceGroupOf(spec))];
  return groups.map((group) => groupText(group, spec.engine)).join('; ');
}
