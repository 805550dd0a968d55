import { expect, it } from 'vitest';
import { getAt } from '../../../../../../main/contract/trees';
import { environmentSections } from '../../../../../../renderer/views/new-deployment/fields/environment-fields';
import type { FieldContext } from '../../../../../../renderer/views/new-deployment/fields/field';
import { resnet50 } from '../../../wizard/preset';

function hostOptions(hosts: readonly string[], engine: Readonly<Record<string, unknown>>) {
  const context: FieldContext = {
    ...{ preset: resnet50, presets: [], machine: null, hosts },
    value: (...keys) => getAt({ engine }, keys),
  };
  const fields = environmentSections(context).flatMap((section) => section.fields);
  const control = fields.find(({ keys }) => keys.join('.') === 'engine.host')?.control;
  return control?.kind === 'choice' ? control.options.map(({ value, why }) => [value, why]) : null;
}

it('offers the hosts of the list with Docker, and this machine', () => {
  const docker = { kind: 'docker', gpus: [] };
  expect(hostOptions(['a', 'b'], docker)).toEqual([
    ['', undefined],
    ['a', undefined],
    ['b', undefined],
  ]);
  expect(hostOptions([], docker)).toBeNull();
  expect(hostOptions(['a'], { kind: 'local' })).toBeNull();
  // What a file brought along and nobody added is shown, with what is wrong.
  expect(hostOptions([], { ...docker, host: 'gone' })).toEqual([
    ['', undefined],
    ['gone', 'Not in the list of hosts.'],
  ]);
});
