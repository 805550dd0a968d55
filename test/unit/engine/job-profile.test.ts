import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SlurmEngineSpec } from '../../../main/contract/job/job-engines';
import { withProfile } from '../../../main/engine/job-profile';
import { rejection } from '../../support/rejection';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-profile-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const resolved = async (text: string | null, engine: Partial<SlurmEngineSpec> = {}) => {
  const file = join(dir, 'slurm.yaml');
  if (text !== null) await writeFile(file, text);
  return (await withProfile({ kind: 'slurm', ...engine }, dir)).engine;
};

const profiles = `
default: small
profiles:
  small: {partition: work, timeLimit: "30", options: {qos: low}}
  gpu: {partition: gpu, gres: "gpu:1", container: apptainer, containerImage: /shared/triton.sif}
`;

describe('a Slurm profile', () => {
  it('fills the fields that are not set', async () => {
    expect(await resolved(profiles, { timeLimit: '10', options: { mem: '4G' } })).toEqual({
      ...{ kind: 'slurm', partition: 'work', timeLimit: '10', options: { qos: 'low', mem: '4G' } },
    });
    expect(await resolved(profiles, { profile: 'gpu' })).toMatchObject({ partition: 'gpu', gres: 'gpu:1' });
  });

  it('of Kubernetes has its own fields and file', async () => {
    const file = join(dir, 'kubernetes.yaml');
    await writeFile(
      file,
      'default: a\nprofiles:\n  a: {image: "test/machine:1", claim: home, mountPath: /mnt/home, gpuCount: 2}\n',
    );
    const { engine, profile } = await withProfile({ kind: 'kubernetes', gpuCount: 1 }, dir);
    expect(engine).toEqual({
      ...{ kind: 'kubernetes', image: 'test/machine:1', claim: 'home', mountPath: '/mnt/home', gpuCount: 1 },
    });
    expect(profile).toMatchObject({ gpuCount: 2 });
    await writeFile(file, 'profiles: {a: {partition: work}}');
    const error = await rejection(withProfile({ kind: 'kubernetes', profile: 'a' }, dir));
    expect(error.message).toContain('The Kubernetes profile is not valid');
  });

  it('is not needed', async () => {
    expect(await resolved(null)).toEqual({ kind: 'slurm' });
    expect(await resolved('profiles: {}')).toEqual({ kind: 'slurm' });
  });

  it('can be a file of its own', async () => {
    const profile = join(dir, 'own.yaml');
    await writeFile(profile, 'partition: gpu');
    expect(await resolved(null, { profile })).toMatchObject({ partition: 'gpu', profile });
    const error = await rejection(resolved(null, { profile: join(dir, 'none.yaml') }));
    expect([error.code, error.where]).toEqual(['input-invalid', join(dir, 'none.yaml')]);
  });

  it.each([
    [profiles, { profile: 'none' }, 'There is no Slurm profile "none"', 'Its profiles are small, gpu.'],
    [null, { profile: 'none' }, 'There is no Slurm profile "none"', 'Write the file'],
    ['profiles: {a: {partition: -x}}', { profile: 'a' }, 'profiles.a.partition: ', 'Fix the field'],
    ['profiles: {a: {walltime: 3}}', { profile: 'a' }, 'walltime', 'Fix the field'],
    ['profiles: {a: {options: {array: "1"}}}', { profile: 'a' }, 'profiles.a.options', 'Fix the field'],
    ['profiles: [', { profile: 'a' }, 'cannot be read', 'Fix or remove the file.'],
  ] as const)('%j with %j is refused: %s', async (text, engine, message, remedy) => {
    const error = await rejection(resolved(text, engine));
    expect([error.code, error.message, error.remedy]).toEqual([
      'input-invalid',
      expect.stringContaining(message),
      expect.stringContaining(remedy),
    ]);
  });
});
