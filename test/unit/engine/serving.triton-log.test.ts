import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TritonLog } from '../../../main/engine/serving';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'triton-log-'));
});
afterEach(() => rm(dir, { recursive: true }));

it('is begun anew and clean wherever it is shown', async () => {
  const path = join(dir, 'triton.log');
  await writeFile(path, 'of an attempt before\n');
  const logged: string[] = [];
  const log = await TritonLog.open(path, (lines) => logged.push(...lines));
  log.add(['\u001b]0;PWNED\u0007E1123 \u001b[31mred\u001b[0m']);
  await log.close();
  expect(logged).toEqual(['E1123 red']);
  expect(log.tail).toEqual(['E1123 red']);
  expect(await readFile(path, 'utf8')).toBe('E1123 red\n');
});

it('has a cap, counts what is left out and keeps the last lines', async () => {
  const path = join(dir, 'triton.log');
  const log = await TritonLog.open(path, () => undefined);
  const line = 'x'.repeat(65_535);
  for (let count = 0; count < 1000; count += 1) log.add([line]);
  log.add(['the last']);
  await log.close();
  expect((await stat(path)).size).toBeLessThan(50 * 1024 * 1024 + 128 * 1024);
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(
    /… 200 lines \(13,107,200 bytes\) are left out here; the last 1 lines follow\nthe last\n$/,
  );
  expect(log.tail).toHaveLength(200);
});

it('that cannot be written still tells its lines', async () => {
  await writeFile(join(dir, 'file'), '');
  const logged: string[] = [];
  const log = await TritonLog.open(join(dir, 'file', 'triton.log'), (lines) => logged.push(...lines));
  log.add(['a\u001b[2Jb']);
  await log.close();
  expect(logged).toEqual(['ab']);
});
