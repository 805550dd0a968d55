import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placementOf } from '../../main/contract/host/host-text';
import { createCore } from '../../main/core';
import type { Core } from '../../main/core/core-interface';
import { readTestEngine } from '../support/docker';
import { repository } from '../support/home';
import { readerBundle } from '../support/reader-bundle';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';

const configVariable = 'TRITON_WORKBENCH_SSH_CONFIG';
const engine = await readTestEngine();
/** What nvidia-smi says on each host; the engine of both is that of this machine. */
const captures = { t4: 'tesla-t4.xml', v100: 'tesla-v100s-v11.xml' } as const;

describe.skipIf(engine === null || sshdProblem() !== null)('hosts with different GPUs', () => {
  const sshds: TestSshd[] = [];
  let home: string;
  let core: Core;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'twb-fit-'));
    const configs: string[] = [];
    for (const [name, capture] of Object.entries(captures)) {
      const programs = await mkdtemp(join(home, 'programs-'));
      const file = join(repository, 'test', 'fixtures', 'nvidia-smi', capture);
      await writeFile(join(programs, 'nvidia-smi'), `#!/bin/sh\ncat '${file}'\n`, { mode: 0o755 });
      const sshd = await startSshd({
        DOCKER_HOST: engine?.address.host ?? '',
        PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      });
      sshds.push(sshd);
      const config = await readFile(sshd.env[configVariable] ?? '', 'utf8');
      configs.push(config.replace('Host *', `Host ${name}`));
    }
    const config = join(home, 'ssh-config');
    await writeFile(config, configs.join('\n'));
    core = await createCore({
      ...{ home, resources: join(repository, 'resources'), version: 'test', electron: null },
      env: { ...process.env, [configVariable]: config },
      workerFile: '/nowhere/load-worker.cjs',
      readerFile: await readerBundle(),
      printPdf: () => Promise.reject(new Error('nothing is printed here')),
    });
    for (const name of [...Object.keys(captures), 'away']) {
      await core.handlers['hosts.add']({ name, address: `ssh://${name}` });
    }
  });
  afterAll(async () => {
    await core.close();
    for (const sshd of sshds) await sshd.stop();
    await rm(home, { recursive: true, force: true });
  });

  const fitsOf = async (overrides: object, ofEngine: object, skipPreflight: boolean) => {
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: {
        ...overrides,
        engine: { kind: 'docker', gpus: ['idlest'], ...ofEngine },
      },
    });
    return core.handlers['hosts.fit']({
      spec,
      hosts: ['t4', 'v100', 'away'],
      modelOfGpu: true,
      skipPreflight,
    });
  };

  it('are given the runs for their model of GPU; one that is not there is given none', async () => {
    const placed = async (targetGpu: string) =>
      placementOf(await fitsOf({ targetGpu }, { clientImage: 'example.com/client:1' }, true));
    expect(await placed('T4')).toEqual({ hosts: ['t4'], leftOut: null, error: null });
    expect((await placed('V100')).hosts).toEqual([]);
    const { error } = await placed('A100');
    expect(error?.code).toBe('docker-unreachable');
    expect(error?.message).toMatch(
      /^No host fits\. t4: Tesla T4 is not the A100 .*\. v100: Tesla V100S.* is not the A100 .*\. away: /,
    );
  });

  it('are given no run whose release their GPU cannot run', async () => {
    const [t4, v100] = await fitsOf({}, { release: '26.07' }, false);
    expect(t4).toEqual({
      ...{ host: 't4', fits: false, error: null },
      reason: 'Release 26.07 does not support Tesla T4 with driver 515.105.01',
    });
    expect(v100).toMatchObject({ host: 'v100', fits: false, error: null });
    expect(v100?.fits === false ? v100.reason : '').toMatch(/^Release 26\.07 does not support Tesla V100S/);
  });
});
