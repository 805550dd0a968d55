import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogFile } from '../../../main/platform/log-file';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'log-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

it('keeps the order, appends, and takes escape sequences and control characters out', async () => {
  const path = join(dir, 'deep', 'step.log');
  const first = await LogFile.open(path);
  expect(first.add(['\u001b[31mred\u001b[0m\ttab', 'a\u0000b\u0007c\u009bd'])).toEqual(['red\ttab', 'abcd']);
  first.add(['zwei ü']);
  await first.close();
  const second = await LogFile.open(path);
  second.add(['three']);
  await second.close();
  expect(await readFile(path, 'utf8')).toBe('red\ttab\nabcd\nzwei ü\nthree\n');
});

it('is capped and says so once', async () => {
  const path = join(dir, 'step.log');
  const log = await LogFile.open(path);
  const line = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 60; count += 1) log.add([line]);
  await log.close();
  const text = await readFile(path, 'utf8');
  expect(text.length).toBeLessThan(51 * 1024 * 1024);
  expect(text.match(/longer than 50 MiB/g)).toHaveLength(1);
});
