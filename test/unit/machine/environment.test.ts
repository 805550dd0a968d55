import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentSchema } from '../../../main/contract/measured/results';
import { parseOsRelease, readEnvironment } from '../../../main/machine/environment';
import { captureFolder, readCapture } from './captures';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-machine-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A stand-in that gives the wanted answer on any machine. */
async function fakeNvidiaSmi(script: string): Promise<NodeJS.ProcessEnv> {
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

const readWith = (env: NodeJS.ProcessEnv) =>
  readEnvironment({ workbenchVersion: '1.2.3', engine: 'local', env });

describe('environment', () => {
  it('describes this machine', async () => {
    const environment = await readEnvironment({
      workbenchVersion: '1.2.3',
      engine: 'local',
      env: { PATH: folder },
    });
    expect(environmentSchema.parse(environment)).toEqual(environment);
    expect(environment).toMatchObject({
      workbenchVersion: '1.2.3',
      engine: 'local',
      tritonVersion: null,
      cpuCount: os.cpus().length,
      memoryBytes: os.totalmem(),
      gpus: [],
      packages: {},
    });
    expect(environment.os).toContain(os.release());
  });

  it('reads the name of the distribution', () => {
    expect(parseOsRelease('NAME="X"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')).toBe(
      'Debian GNU/Linux 12 (bookworm)',
    );
    expect(parseOsRelease('NAME=x')).toBeNull();
  });

  it('names the GPUs that nvidia-smi tells', async () => {
    const script = `cat '${join(captureFolder, 'tesla-t4.xml')}'`;
    expect((await readWith(await fakeNvidiaSmi(script))).gpus).toEqual([
      {
        name: 'Tesla T4',
        uuid: 'GPU-d37e67a5-91dd-3774-a5cb-99096249601a',
        memoryBytes: 15_360 * 1024 * 1024,
        driver: '515.105.01',
      },
    ]);
  });

  it('has a value for what the driver does not know', async () => {
    const unknown = (await readCapture('tesla-t4.xml'))
      .replace(/<uuid>[^<]*</, '<uuid>N/A<')
      .replace('<total>15360 MiB<', '<total>[Unknown Error]<')
      .replace(/<driver_version>[^<]*</, '<driver_version>N/A<');
    await writeFile(join(folder, 'report.xml'), unknown);
    const environment = await readWith(await fakeNvidiaSmi(`cat '${join(folder, 'report.xml')}'`));
    expect(environmentSchema.parse(environment).gpus).toEqual([
      { name: 'Tesla T4', uuid: '00000000:00:1E.0', memoryBytes: 0, driver: 'unknown' },
    ]);
  });

  it('goes on without GPUs when nvidia-smi fails', async () => {
    expect((await readWith(await fakeNvidiaSmi('exit 9'))).gpus).toEqual([]);
  });
});
