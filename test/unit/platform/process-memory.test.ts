import { expect, it } from 'vitest';
import { memoryOfProcesses, proportionalBytes } from '../../../main/platform/process-memory';

it('reads what a process takes, shared memory by its part', () => {
  const rollup =
    '5575-7ffd ---p 00000000 00:00 0  [rollup]\nRss:  9000 kB\nPss:  5120 kB\nPss_Anon: 4000 kB\n';
  expect(proportionalBytes(rollup)).toBe(5120 * 1024);
  expect(proportionalBytes('')).toBeNull();
});

it('is the sum of processes that run, and not known where one of them is gone', async () => {
  const own = await memoryOfProcesses([process.pid]);
  expect(own).toBeGreaterThan(10 * 1024 ** 2);
  expect(await memoryOfProcesses([process.pid, 2 ** 22 + 1])).toBeNull();
  expect(await memoryOfProcesses([])).toBeNull();
});
