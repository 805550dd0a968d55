import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openApplicationLog, readApplicationLog } from '../../../main/home/application-log';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (limitBytes = 1000) =>
  openApplicationLog(folder, {
    now: () => new Date('2026-11-25T12:00:00.000Z'),
    redact: (text) => text.replaceAll('secret', '<secret>'),
    limitBytes,
  });

it('writes redacted lines, one for each entry, for the owner only', async () => {
  open().add('error', 'a secret\nof two lines \u001b[31m');
  const text = await readFile(join(folder, 'application.log'), 'utf8');
  expect(text).toMatch(/^2026-11-25T12:00:00\.000Z error a <secret> ⏎ of two lines .*\n$/);
  expect(text).not.toContain('\u001b');
  expect((await stat(join(folder, 'application.log'))).mode & 0o077).toBe(0);
});

it('has five files within the limit, the newest lines in the first', async () => {
  for (let number = 0; number < 200; number += 1) open().add('info', `line ${number} ${'x'.repeat(50)}`);
  const names = (await readdir(folder)).sort();
  expect(names).toEqual([
    'application.1.log',
    'application.2.log',
    'application.3.log',
    'application.4.log',
    'application.log',
  ]);
  for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(1000);
  const lines = await readApplicationLog(folder, 5);
  expect(lines.map((line) => /line (\d+)/.exec(line)?.[1])).toEqual(['195', '196', '197', '198', '199']);
});

it('stops nothing where the folder is gone, and has no lines there', async () => {
  const log = open();
  await rm(folder, { recursive: true });
  expect(() => {
    log.add('info', 'a');
  }).not.toThrow();
  expect(await readApplicationLog(folder, 5)).toEqual([]);
});
