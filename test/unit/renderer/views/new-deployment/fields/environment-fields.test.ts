import { expect, it } from 'vitest';
import type { MachineStatus } from '../../../../../../main/contract/machine';
import { getAt } from '../../../../../../main/contract/trees';
import { environmentSections } from '../../../../../../renderer/views/new-deployment/fields/environment-fields';
import { resnet50 } from '../../../wizard/preset';

it('says in whole sentences why an engine cannot be used', () => {
  const slurm = {
    ...{ kind: 'slurm', available: false, version: null },
    ...{ note: 'The Slurm controller does not answer', remedy: 'Check it with: scontrol ping.' },
  };
  const machine = { engines: [slurm], environment: { gpus: [] } } as unknown as MachineStatus;
  const sections = environmentSections({
    ...{ preset: resnet50, presets: [], machine, hosts: [] },
    value: (...keys) => getAt({ engine: { kind: 'local' } }, keys),
  });
  const control = sections
    .flatMap((section) => section.fields)
    .find(({ keys }) => keys.join('.') === 'engine.kind')?.control;
  const option =
    control?.kind === 'choice' ? control.options.find(({ value }) => value === 'slurm') : undefined;
  expect(option?.why).toBe('The Slurm controller does not answer. Check it with: scontrol ping.');
});
