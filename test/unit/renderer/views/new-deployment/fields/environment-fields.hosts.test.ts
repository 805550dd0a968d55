import { expect, it } from 'vitest';
import { getAt } from '../../../../../../main/contract/trees';
import { environmentSections } from '../../../../../../renderer/views/new-deployment/fields/environment-fields';
import type { FieldContext } from '../../../../../../renderer/views/new-deployment/fields/field';
import { resnet50 } from '../../../wizard/preset';

type Values = Readonly<Record<string, unknown>>;

const optionsOf = (path: string, context: FieldContext) => {
  const fields = environmentSections(context).flatMap((section) => section.fields);
  const control = fields.find(({ keys }) => keys.join('.') === path)?.control;
  return control?.kind === 'choice' ? control.options.map(({ value, why }) => [value, why]) : null;
};

const contextOf = (hosts: readonly string[], engine: Values, machine: FieldContext['machine'] = null) => ({
  ...{ preset: resnet50, presets: [], machine, hosts },
  value: (...keys: string[]) => getAt({ engine }, keys),
});

const hostOptions = (hosts: readonly string[], engine: Values) =>
  optionsOf('engine.host', contextOf(hosts, engine));

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

it('offers Slurm without its commands where a host may be a login node, and the hosts as such', () => {
  const slurm = {
    kind: 'slurm',
    available: false,
    version: null,
    note: 'sinfo is not installed',
    remedy: null,
  };
  const machine = { engines: [slurm] } as unknown as FieldContext['machine'];
  const refusal = (hosts: readonly string[]) =>
    optionsOf('engine.kind', contextOf(hosts, { kind: 'slurm' }, machine))?.find(
      ([kind]) => kind === 'slurm',
    );
  expect(refusal([])?.[1]).toContain('sinfo is not installed');
  expect(refusal(['login'])?.[1]).toBeUndefined();
  expect(optionsOf('engine.login', contextOf(['login'], { kind: 'slurm' }))).toEqual([
    ['', undefined],
    ['login', undefined],
  ]);
  expect(optionsOf('engine.login', contextOf([], { kind: 'slurm' }))).toBeNull();
});
