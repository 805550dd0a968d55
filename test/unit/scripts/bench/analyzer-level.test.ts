import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { analyzerLevel } from '../../../../scripts/bench/analyzer-level';

const fixtures = resolve('test/fixtures/perf-analyzer');
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-analyzer-level-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A fake that says what the real one said once, and ends as it did. */
async function level(body: string) {
  const program = join(dir, 'recorded-perf-analyzer');
  await writeFile(program, `#!/bin/sh\n${body}\n`);
  await chmod(program, 0o755);
  return analyzerLevel({ argv: [program], csv: join(dir, 'level.csv'), cwd: dir, env: process.env });
}

it.each([
  ['stderr', `cat ${fixtures}/grpc-unsteady.txt >&2; exit 2`],
  ['stdout', `cat ${fixtures}/grpc-unsteady.txt; exit 2`],
  ['nowhere', 'exit 2'],
])('a level that did not become steady is lost, where it says so on %s', async (_where, body) => {
  expect(await level(body)).toEqual({ p95Us: null, reason: 'not steady' });
});

it('a level that ends otherwise is lost with its reason', async () => {
  const { reason } = { reason: '', ...(await level(`cat ${fixtures}/unreachable.txt >&2; exit 99`)) };
  expect(reason).toMatch(/^exit code 99: \S/);
  expect(await level('exit 0')).toMatchObject({
    p95Us: null,
    reason: "perf_analyzer's CSV has 0 rows, not one",
  });
});

it('a level with a row has its p95', async () => {
  expect(await level(`cp ${fixtures}/grpc-steady.csv level.csv`)).toEqual({
    p95Us: expect.any(Number) as unknown,
  });
});

it('a program that is not there is an error, not a lost level', async () => {
  const start = analyzerLevel({
    argv: [join(dir, 'none')],
    csv: join(dir, 'level.csv'),
    cwd: dir,
    env: process.env,
  });
  await expect(start).rejects.toThrow('cannot be started: ENOENT');
});
