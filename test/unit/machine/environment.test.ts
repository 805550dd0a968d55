import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentSchema } from '../../../main/contract/results';
import { parseOsRelease, readEnvironment, readGpus } from '../../../main/machine/environment';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-machine-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A stand-in that gives the wanted answer on any machine. */
async function faultyNvidiaSmi(script: string): Promise<NodeJS.ProcessEnv> {
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

describe('environment', () => {
  it('describes this machine', async () => {
    const environment = await readEnvironment({
      workbenchVersion: '1.2.3',
      engine: 'local',
      env: { PATH: folder },
      packages: { torch: '2.0' },
    });
    expect(environmentSchema.parse(environment)).toEqual(environment);
    expect(environment).toMatchObject({
      workbenchVersion: '1.2.3',
      engine: 'local',
      tritonVersion: null,
      cpuCount: os.cpus().length,
      memoryBytes: os.totalmem(),
      gpus: [],
      packages: { torch: '2.0' },
    });
    expect(environment.os).toContain(os.release());
  });

  it('reads the name of the distribution', () => {
    expect(parseOsRelease('NAME="X"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')).toBe(
      'Debian GNU/Linux 12 (bookworm)',
    );
    expect(parseOsRelease('NAME=x')).toBeNull();
  });

  it('asks nvidia-smi', async () => {
    const capture = join(import.meta.dirname, '../../fixtures/gpu/tesla-t4.xml');
    expect((await readGpus(await faultyNvidiaSmi(`cat ${capture}`))).map((gpu) => gpu.name)).toEqual([
      'Tesla T4',
    ]);
  });

  it.each([
    ['is missing', null],
    ['fails', 'echo NVIDIA-SMI has failed; exit 9'],
    ['prints something else', 'echo hello'],
    ['hangs', 'exec sleep 600'],
  ])('goes on without GPUs when nvidia-smi %s', async (_what, script) => {
    const env = script === null ? { PATH: folder } : await faultyNvidiaSmi(script);
    expect(await readGpus(env)).toEqual([]);
  });
});
