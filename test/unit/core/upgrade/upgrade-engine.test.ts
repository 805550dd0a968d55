import { expect, it } from 'vitest';
import { engineWith, environmentText } from '../../../../main/core/upgrade/upgrade-engine';

const local = { kind: 'local' as const, httpPort: 8000 };
const ngc = { kind: 'docker' as const, gpus: ['0'], shmSizeMiB: 64, release: '26.04' };
const built = { kind: 'docker' as const, gpus: [], shmSizeMiB: 64 };

it('puts a folder, a release or an image in the place of what the run has, on free ports', () => {
  expect(engineWith(local, undefined)).toEqual({ kind: 'local' });
  expect(engineWith(local, { environment: '/opt/other' })).toEqual({
    ...{ kind: 'local', environment: '/opt/other' },
  });
  expect(engineWith(ngc, { release: '26.07' })).toEqual({ ...ngc, release: '26.07' });
  expect(engineWith({ ...ngc, tritonImage: 'a/b:1' }, { release: '26.07' })).toEqual({
    ...ngc,
    release: '26.07',
  });
  expect(engineWith(built, { image: 'a/b:1' })).toEqual({ ...built, tritonImage: 'a/b:1' });
});

it('refuses what the engine of the run does not have', () => {
  expect(() => engineWith(local, { release: '26.07' })).toThrow(/served by the local Triton/);
  expect(() => engineWith(ngc, { environment: '/opt/other' })).toThrow(/served in containers/);
  expect(() => engineWith(built, { release: '26.07' })).toThrow(/has no release/);
});

it('names a serving environment as a person does', () => {
  expect(
    [local, { ...local, environment: '/opt/other' }, ngc, built, { ...ngc, tritonImage: 'a/b:1' }].map(
      environmentText,
    ),
  ).toEqual(['the local Triton', '/opt/other', 'release 26.04', 'the CPU image', 'a/b:1']);
});
