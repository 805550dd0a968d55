import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DockerEngineSpec, RunSpec } from '../../../../main/contract/run/run-spec';
import type { DockerLink } from '../../../../main/docker/docker-link';
import { type HostFacts, withRelease } from '../../../../main/engine/docker/run-images';
import { preflightProblems, runPreflight } from '../../../../main/engine/docker/run-preflight';
import { readGpus } from '../../../../main/machine/gpu-report';
import { ngcRegistry } from '../../../../main/machine/releases';
import { repository } from '../../../support/home';
import { specFixture } from '../../../support/run-state';
import { captureFolder } from '../../machine/captures';
import { localDocker } from '../../machine/preflight-input';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-preflight-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const engine: DockerEngineSpec = { kind: 'docker', gpus: ['all'], shmSizeMiB: 256 };
const specWith = (more: Partial<DockerEngineSpec> = {}): RunSpec => ({
  ...specFixture(),
  engine: { ...engine, ...more },
});

/** This machine with the GPUs of a capture, or with none. */
async function machineWith(capture: string | null) {
  if (capture !== null) {
    const text = `#!/bin/sh\n[ "$1" = -q ] && exec /bin/cat '${join(captureFolder, capture)}'\nexit 0\n`;
    await writeFile(join(folder, 'nvidia-smi'), text);
    await chmod(join(folder, 'nvidia-smi'), 0o755);
  }
  const pulled: string[] = [];
  const client = {
    getImage: (name: string) => ({
      inspect: () => {
        pulled.push(name);
        return Promise.reject(Object.assign(new Error('no such image'), { statusCode: 404 }));
      },
    }),
  };
  const link = {
    facts: () => Promise.resolve({ ...localDocker, rootDir: '/' }),
    connect: () => Promise.resolve(client),
  } as unknown as DockerLink;
  const images = { resources: join(repository, 'resources'), registry: ngcRegistry };
  return { ...images, env: { PATH: folder }, home: folder, link, host: null };
}

async function started(capture: string | null, given: RunSpec, more: { readonly host?: HostFacts } = {}) {
  const places = { ...(await machineWith(capture)), ...more };
  const spec = await withRelease(given, '26.07', places);
  const result = await runPreflight(spec, { ngcRelease: '26.07' }, places);
  const { release } = spec.engine as DockerEngineSpec;
  return { release, reason: result?.reason, problems: preflightProblems(result) };
}

it('asks the GPUs of the host that a run names, and not those of this machine', async () => {
  const gpus = await readGpus((await machineWith('a100-sxm4-v12.xml')).env);
  await rm(join(folder, 'nvidia-smi'));
  const docker = { ...localDocker, host: 'ssh://rack', rootDir: '/' };
  const onHost = await started(null, specWith({ host: 'rack' }), { host: { docker, gpus } });
  const here = await started('a100-sxm4-v12.xml', specWith());
  expect(onHost).toMatchObject({ release: here.release, reason: here.reason });
  // Where nothing is known of them, nothing is said of them either.
  const unknown = await started(null, specWith({ host: 'rack' }), { host: { docker, gpus: null } });
  expect(unknown.reason).toBeNull();
});

it('takes the release that fits the GPU, and says why', async () => {
  const { release, reason, problems } = await started('a100-sxm4-v12.xml', specWith());
  // Forward compatibility serves it on this GPU, and older releases have published flaws.
  expect({ release, problems }).toEqual({ release: '26.07', problems: [] });
  expect(reason).toContain('with driver 535.54.03, by CUDA forward compatibility');
});

it('refuses where no release fits, with what is missing', async () => {
  const { problems, reason } = await started('tesla-v100s-v11.xml', specWith());
  expect(reason).toBeNull();
  expect(problems[0]).toMatchObject({ field: 'engine.release', code: 'engine-unavailable' });
  expect(problems[0]?.message).toContain('Driver 460.73.01 is too old for every release');
  expect(problems[0]?.remedy).toContain('Install driver 560');
});

it('refuses a release that is named and does not fit', async () => {
  const found = await readGpus((await machineWith('rtx-3080-v13.xml')).env);
  const gpus = { ...found, driverVersion: '575.51.03' };
  const host = { docker: { ...localDocker, host: 'ssh://rack', rootDir: '/' }, gpus };
  const spec = specWith({ release: '26.07', host: 'rack' });
  const { release, problems } = await started(null, spec, { host });
  expect(release).toBe('26.07');
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('26.07 (CUDA 13')]);
  expect(problems[0]?.remedy).toContain('Or leave the release empty: 25.06 is chosen then.');
});

it('takes the last release with the backend of the format', async () => {
  const spec: RunSpec = { ...specWith(), format: 'tf-savedmodel' };
  expect((await started('rtx-3080-v13.xml', spec)).release).toBe('25.02');
  expect((await started(null, spec)).release).toBe('25.02');
});

it('leaves the usual release where no GPU is known, and refuses GPUs that are not there', async () => {
  const { release, reason, problems } = await started(null, specWith());
  expect({ release, reason }).toEqual({ release: '26.07', reason: null });
  expect(problems.map(({ field }) => field)).toEqual(['engine.gpus']);
});

it('has nothing against a run on the CPU', async () => {
  const { release, problems } = await started(null, specWith({ gpus: [] }));
  expect({ release, problems }).toEqual({ release: undefined, problems: [] });
});
