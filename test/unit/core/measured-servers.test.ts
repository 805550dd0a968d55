import { expect, it } from 'vitest';
import type { CoreParts } from '../../../main/core/core-parts';
import { runEnvironment } from '../../../main/core/measured-servers';
import { specFixture } from '../../support/run-state';

/** A fake engine: only what is asked of it here. */
function partsWith(kind: 'unix' | 'ssh', cpu = 'AMD EPYC 9654\n'): CoreParts {
  const link = {
    address: () => Promise.resolve({ kind }),
    info: () =>
      Promise.resolve({
        ...{ OperatingSystem: 'Ubuntu 24.04.1 LTS', KernelVersion: '6.8.0', Architecture: 'x86_64' },
        ...{ NCPU: 96, MemTotal: 2 ** 40 },
      }),
  };
  const gpu = { name: 'NVIDIA H100', uuid: 'GPU-1', busId: '0', memoryTotalBytes: 80 * 2 ** 30, mig: null };
  const gpus = { driverVersion: '570.10', cudaVersion: '12.8', gpus: [gpu], problem: null };
  return {
    options: { env: {}, version: '1.0.0' },
    engines: { linkOf: () => Promise.resolve(link) },
    hosts: {
      get: (name: string) => Promise.resolve({ name }),
      status: () => Promise.resolve({ reachable: true, gpus }),
      run: () => Promise.resolve({ exitCode: 0, stdout: cpu, stderr: '' }),
    },
  } as unknown as CoreParts;
}

const specOn = (host?: string) => {
  const spec = specFixture();
  return {
    ...spec,
    engine: {
      kind: 'docker' as const,
      gpus: ['all'],
      shmSizeMiB: 64,
      ...(host === undefined ? {} : { host }),
    },
  };
};

it('is that of the host whose engine does the work', async () => {
  expect(await runEnvironment(partsWith('ssh'), specOn('rack'))).toMatchObject({
    ...{
      engine: 'docker',
      os: 'Ubuntu 24.04.1 LTS, kernel 6.8.0, x86_64',
      cpu: 'AMD EPYC 9654',
      cpuCount: 96,
    },
    ...{ memoryBytes: 2 ** 40, gpus: [{ name: 'NVIDIA H100', uuid: 'GPU-1', driver: '570.10' }] },
  });
});

it('says nothing of a processor that the host does not name', async () => {
  expect(await runEnvironment(partsWith('ssh', ''), specOn('rack'))).toMatchObject({ cpu: 'unknown' });
});

it('is this machine with an engine of this machine', async () => {
  const { cpuCount } = await runEnvironment(partsWith('unix'), specOn());
  expect(cpuCount).not.toBe(96);
});
