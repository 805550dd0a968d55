import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild, startChild } from '../../../support/child-program';
import { until } from '../../../support/until';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-cut-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a bench that is cut by %s writes what it has, and ends with 130',
  async (signal) => {
    const out = join(dir, `${signal}.md`);
    const child = startChild(await bundleChild('cut-work', dir), [out]);
    await until('three measured', () => child.lines.length === 3);
    child.process.kill(signal);
    await child.ended;
    expect(child.process.exitCode).toBe(130);
    expect(await readFile(out, 'utf8')).toContain('**Interrupted:** 3 measured.');
  },
);
