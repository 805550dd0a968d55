import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printRow } from '../support/campaign';
import { type CliRun, documentOf, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

let home: TestHome;
let disk = '';
beforeAll(async () => {
  home = await createTestHome();
  disk = await mkdtemp(join(tmpdir(), 'small-disk-'));
});
afterAll(async () => {
  await home.remove();
  await rm(disk, { recursive: true, force: true });
});

const namespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];
const script = 'mount -t tmpfs -o "size=$1" none "$2" && shift 2 && exec "$@"';

/** A quick run whose folder is on a disk of that size, which nobody else sees and which goes with the process. */
const runOn = (size: string): CliRun =>
  startCli(
    home.path,
    [
      ...['run', 'resnet50', '--profile', 'quick', '--format', 'ts-trace', '--json'],
      ...['--out', join(disk, 'run'), '--batch-sizes', '1', '--concurrency', '1'],
      ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
      ...['--measurement-interval-ms', '400'],
      // All of the data set fills the disk; what is learned of it does not matter.
      ...['--set', 'model.args.train_epochs="1"', '--set', 'accuracy.thresholds.top1=0'],
    ],
    [...namespace, script, 'sh', size, disk],
  );

async function enlarge({ child }: CliRun, size: string): Promise<void> {
  const within = ['--user', '--mount', '--preserve-credentials', '-t', String(child.pid)];
  await promisify(execFile)('nsenter', [...within, 'mount', '-o', `remount,size=${size}`, disk]);
}

const waiting = /^Waiting for space on .*: at least \d+\.\d MiB must be free, but only \d+\.\d [KM]iB are\./;

describe('a disk that is full', () => {
  it('holds a run up, which continues by itself when there is room, with the step where it was', async () => {
    const run = runOn('9m');
    expect(await run.line(waiting)).toContain(disk);
    await enlarge(run, '400m');
    const result = await run.result;
    const document = documentOf(result);
    await printRow({
      what: 'a run whose disk is full until it is enlarged',
      trials: 1,
      result: `${document.status}, ${document.offline.length} of 1 level measured`,
    });
    expect(result.code).toBe(0);
    expect(document).toMatchObject({ status: 'done', waitsFor: null });
    expect(result.stderr.match(/✓ Prepare data/g)).toHaveLength(1);
    expect(result.stderr).not.toContain('✗');
    expect(document.offline).toHaveLength(1);
  });

  it('lets go of a run that is cancelled while it waits', async () => {
    const run = runOn('9m');
    await run.line(waiting);
    run.child.kill('SIGINT');
    expect((await run.result).code).toBe(130);
  });
});
