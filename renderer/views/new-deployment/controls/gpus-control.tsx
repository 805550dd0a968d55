import { TagsInput } from '@mantine/core';
import type { MachineStatus } from '../../../../main/contract/machine';
import type { Field } from '../fields/field';
import { useWizard } from '../wizard-context';
import { type ControlProps, helpOf } from './field-frame';

/** Everything of this machine that a container can be given, with a name for people. */
function devicesOf(machine: MachineStatus | null): ReadonlyMap<string, string> {
  const devices = (machine?.gpus.gpus ?? []).flatMap((gpu): (readonly [string, string])[] => [
    ...(gpu.uuid === null ? [] : [[gpu.uuid, `GPU ${gpu.index}, ${gpu.name}`] as const]),
    ...gpu.mig.devices.flatMap((mig) =>
      mig.uuid === null ? [] : [[mig.uuid, `MIG device ${mig.index} of GPU ${gpu.index}`] as const],
    ),
  ]);
  return new Map([['idlest', 'The idlest GPU'], ['all', 'All GPUs'], ...devices]);
}

export function GpusControl({ field, frame }: { field: Field; frame: ControlProps }) {
  const { context, valueAt, draft } = useWizard();
  const devices = devicesOf(context.machine);
  const value = valueAt(field.keys);
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <TagsInput
      id={frame.id}
      size="xs"
      error={frame.error}
      description={helpOf(field)}
      inputWrapperOrder={['input', 'error', 'description']}
      placeholder={chosen.length === 0 ? 'none' : ''}
      data={[...devices.keys()]}
      renderOption={({ option }) => (
        <span>
          {devices.get(option.value)} <span className="dim mono">{option.value}</span>
        </span>
      )}
      value={chosen}
      splitChars={[',', ' ', ';']}
      acceptValueOnBlur
      onChange={(next) => {
        // None is a choice: the default may be every GPU.
        draft.change(field.keys, next);
      }}
    />
  );
}
