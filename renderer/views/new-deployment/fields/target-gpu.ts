import type { MachineStatus } from '../../../../main/contract/machine';
import { type PublishedGpu, publishedGpuOf, publishedGpus } from '../../../../main/contract/run/run-spec';
import type { Field, FieldContext } from './field';
import { formField } from './form-field';

/** The published GPU that this machine has; null for none. */
function foundGpu({ machine }: FieldContext): PublishedGpu | null {
  const names = machine?.gpus.gpus.map(({ name }) => name) ?? [];
  return names.map(publishedGpuOf).find((gpu) => gpu !== null) ?? null;
}

/** Containers can be given a GPU, as far as somebody has looked. */
const hasGpuContainers = (machine: MachineStatus | null): boolean =>
  machine !== null &&
  machine.gpus.gpus.length > 0 &&
  machine.engines.some(({ kind, available }) => kind === 'docker' && available);

/**
 * The engine of a draft that has none chosen, when it is to be for a published GPU: the default stays where no container
 * could be given one. null: that of the published deployment.
 */
export const engineForTarget = (machine: MachineStatus | null): { readonly kind: 'local' } | null =>
  hasGpuContainers(machine) ? null : { kind: 'local' };

/** None where nothing is published of the preset. */
export function targetGpuFields(context: FieldContext): readonly Field[] {
  const gpus = publishedGpus.filter((gpu) => context.preset.byGpu?.[gpu] !== undefined);
  // One that was chosen for another model can be taken back.
  if (gpus.length === 0 && context.value('targetGpu') === undefined) return [];
  const found = foundGpu(context);
  const here =
    found !== null && gpus.includes(found)
      ? ` This machine has an ${found}.`
      : hasGpuContainers(context.machine)
        ? ''
        : ' Docker with a GPU was not found on this machine, so the engine does not change.';
  const field = formField('targetGpu', context, {
    wide: true,
    control: {
      kind: 'choice',
      cards: false,
      options: gpus.map((gpu) => ({ value: gpu, label: gpu === found ? `${gpu}, found here` : gpu })),
    },
  });
  return [{ ...field, help: `${field.help} Default: none.${here}` }];
}
