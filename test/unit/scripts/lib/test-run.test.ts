import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exists } from '../../../../main/platform/files';
import { readProcessStat } from '../../../../main/platform/process';
import { until } from '../../../support/until';

const library = resolve('scripts/lib');
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-test-run-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/**
 * A test that passes, one that fails, and one that waits for ever beside a program in a group of its own, as Triton is. What
 * the runner knows of a test it may keep until the next has ended, hence the third.
 */
const testFile = (folder: string) => `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
it('passes', () => undefined);
it('fails for a reason', () => { expect('what came').toBe('what was wanted'); });
it('is left out later', async ({ skip }) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  skip();
});
it('never ends', () => {
  const server = spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' });
  writeFileSync(${JSON.stringify(join(folder, 'server.pid'))}, String(server.pid));
  return new Promise(() => undefined);
}, 3_600_000);
`;

/** What scripts/test.mjs does, with the one file above. */
const program = (folder: string) => `
import { createTestRun } from ${JSON.stringify(join(library, 'test-run.mjs'))};
const run = createTestRun();
process.on('SIGINT', () => void run.interrupt());
process.on('SIGTERM', () => void run.interrupt());
const outcomes = run.outcomesFile();
// The runner tells of its tests a moment after they ended.
const look = setInterval(() => {
  const { passed, failed } = run.countsOf(outcomes);
  if (passed + failed < 2) return;
  clearInterval(look);
  console.log('both are known');
}, 20);
await run.runner(
  ${JSON.stringify(resolve('node_modules/.bin/vitest'))},
  ['run', '--root', ${JSON.stringify(folder)}, '--globals', '--reporter=default',
    '--reporter=' + ${JSON.stringify(join(library, 'reporters', 'vitest-outcomes.mjs'))}],
  process.env,
  { outcomes },
);
await run.ended();
console.log(run.failures());
console.log(JSON.stringify(run.countsOf(outcomes)));
process.exit(run.interrupted() ? 130 : 0);
`;

/** One that has ended and that nobody has asked for yet ("Z") is not alive. */
const isAlive = (pid: number) => !['Z', undefined].includes(readProcessStat(pid)?.[0]);

it.each(['SIGINT', 'SIGTERM'] as const)(
  'tests that are interrupted by %s say what failed until then, and leave nothing running',
  async (signal) => {
    await writeFile(join(dir, 'three.test.mjs'), testFile(dir));
    await writeFile(join(dir, 'run.mjs'), program(dir));
    const child = spawn(process.execPath, [join(dir, 'run.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', resolve);
    });
    const pidFile = join(dir, 'server.pid');
    await until('the last test runs', () => exists(pidFile));
    await until('its server is known', async () => (await readFile(pidFile, 'utf8')) !== '');
    await until('the others are known', () => text.includes('both are known'));
    const server = Number(await readFile(pidFile, 'utf8'));
    expect(isAlive(server)).toBe(true);
    child.kill(signal);
    expect(await ended).toBe(130);
    const [last, ...before] = text.trim().split('\n').reverse();
    expect(JSON.parse(last ?? '')).toMatchObject({ passed: 1, failed: 1 });
    const said = before.reverse().join('\n');
    expect(said).toContain('FAIL three.test.mjs > fails for a reason');
    expect(said).toContain("expected 'what came' to be 'what was wanted'");
    expect(isAlive(server)).toBe(false);
  },
);
