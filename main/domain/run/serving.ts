import { z } from 'zod';
import { backendsOf, engineWords, visibleGpus } from '../../contract/run/engine-kinds';
import type { RunSpec } from '../../contract/run/run-spec';

const groupSchema = z.looseObject({
  kind: z.enum(['KIND_AUTO', 'KIND_GPU', 'KIND_CPU', 'KIND_MODEL']).default('KIND_AUTO'),
  count: z.int().min(1).default(1),
  gpus: z.array(z.int()).default([]),
});
type InstanceGroup = z.infer<typeof groupSchema>;

/** Instance groups of an edited config.pbtxt; null: not edited. */
export function editedGroups({
  configPatch,
}: Pick<RunSpec['configure'], 'configPatch'>): InstanceGroup[] | null {
  const edited = configPatch['instanceGroup'] ?? configPatch['instance_group'];
  return z.array(groupSchema).min(1).safeParse(edited).data ?? null;
}

/** From fields only: chosen GPUs are named, as Triton would use every visible one. */
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

function groupText({ kind, count, gpus }: InstanceGroup, engine: RunSpec['engine']): string {
  const visible = visibleGpus(engine);
  const onGpu = kind === 'KIND_GPU' || (kind === 'KIND_AUTO' && backendsOf(engine) === 'all');
  if (!onGpu || visible?.length === 0) return `${count}, ${kind}`;
  const gpuCount = gpus.length > 0 ? gpus.length : (visible?.length ?? null);
  if (gpuCount === null) return `${count} per GPU of the ${engineWords(engine.kind).machine}, ${kind}`;
  if (gpuCount === 1) return `${count} on 1 GPU`;
  return `${gpuCount} GPUs × ${count} instance${count === 1 ? '' : 's'} = ${gpuCount * count}`;
}

/** Number and devices of instances: "2 GPUs × 2 instances = 4". */
export function instancesText(spec: Pick<RunSpec, 'configure' | 'engine'>): string {
  const groups = editedGroups(spec.configure) ?? [groupSchema.parse(instanceGroupOf(spec))];
  return groups.map((group) => groupText(group, spec.engine)).join('; ');
}
