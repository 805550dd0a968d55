import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exec } from '../../../main/platform/exec';
import { logPressure } from '../../../main/platform/lines';
import { LogFile } from '../../../main/platform/log-file';

const mebibyte = 1024 * 1024;
const sh = (script: string): [string, ...string[]] => ['sh', '-c', script];

it('a line of 300 MB is not held: 64 KB of it are kept and the rest is counted', async () => {
  const lines: string[] = [];
  const usedBytes = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = usedBytes();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, usedBytes())), 20);
  const result = await exec({
    argv: sh(`head -c 300000000 /dev/zero | tr '\\0' x; echo; echo after`),
    env: process.env,
    onStdoutLine: (line) => lines.push(line),
  });
  clearInterval(watch);
  expect(result.exitCode).toBe(0);
  expect(lines).toEqual([
    `${'x'.repeat(65_536)} … (299,934,464 more bytes of this line are not kept)`,
    'after',
  ]);
  expect(most - before).toBeLessThan(150 * mebibyte);
});

it('a flood fills the log up to its cap, with a count of the rest, and waits for the disk', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'flood-'));
  try {
    const path = join(dir, 'step.log');
    const log = await LogFile.open(path);
    let waited = 0;
    let came = 0;
    const result = await exec({
      argv: sh(`yes ${'y'.repeat(99)} | head -n 600000; echo the error at the end`),
      env: process.env,
      onStdoutLine: (line) => {
        came += 1;
        log.add([line]);
        waited = Math.max(waited, logPressure.waitingBytes);
      },
    });
    await log.close();
    expect(result.exitCode).toBe(0);
    expect(came).toBe(600_001);
    expect(waited).toBeLessThan(2 * mebibyte);
    expect(logPressure.waitingBytes).toBe(0);
    expect((await stat(path)).size).toBeLessThan(50 * mebibyte + 128 * 1024);
    const written = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const noted = written.find((line) => line.includes('are left out here'));
    const leftOut = Number(/^… ([\d,]+) lines/.exec(noted ?? '')?.[1]?.replaceAll(',', ''));
    expect(noted).toContain('the last 100 lines follow');
    // Two of the lines are notes.
    expect(written.length - 2 + leftOut).toBe(came);
    expect(written.at(-1)).toBe('the error at the end');
  } finally {
    await rm(dir, { recursive: true });
  }
});
