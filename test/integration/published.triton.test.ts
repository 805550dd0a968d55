import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takesAll } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { createTensorflowHome, tensorflowInstallMs } from '../support/component-homes';
import { createTestHome, repository, type TestHome } from '../support/home';

let home: TestHome;
beforeAll(async () => {
  home = takesAll ? await createTensorflowHome() : await createTestHome();
}, tensorflowInstallMs);
afterAll(() => home.remove());

const short = [
  ...['--json', '--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '200'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=0'],
];

const some = [['tft', 'tft', 'checkpoint.pt']];
const others = [
  ['wide-and-deep', 'wide_and_deep', 'checkpoint'],
  ['resnet50', 'resnet50', 'nvidia_resnet50.pth.tar'],
  ['fastpitch', 'fastpitch', 'nvidia_fastpitch.pt'],
  ['nnunet', 'nnunet', 'fold2.ckpt'],
];

/** The smallest configurations of NVIDIA's networks in NVIDIA's containers; sizes come from the file. */
it.each(takesAll ? [...some, ...others] : some)(
  '%s runs a published checkpoint to a passed accuracy check',
  async (preset = '', network = '', name = '') => {
    const path = join(home.path, name);
    const python = join(home.path, network === 'wide_and_deep' ? 'tensorflow' : 'python', 'bin', 'python');
    await promisify(execFile)(python, ['make_checkpoint.py', network, path], {
      cwd: join(repository, 'test', 'python'),
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const result = await cli(home.path, 'run', preset, '--profile', 'quick', '--checkpoint', path, ...short);
    expect(result.stderr).not.toContain('✗');
    expect(result.stderr).toContain('Set by the checkpoint');
    const document = documentOf(result);
    expect(document.status).toBe('done');
    expect(document.accuracy?.passed).toBe(true);
  },
);
