import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  listProcessesScript,
  parseProcessList,
  processReading,
  readProcesses,
  withDescendants,
} from '../../../main/platform/process-readings';

const texts = {
  pid: 7,
  cmdline: 'tritonserver\0--model-repository=/m\0',
  status: 'Name:\ttritonserver\nState:\tS (sleeping)\nVmSize:\t  900 kB\nVmRSS:\t  512 kB\nThreads:\t40\n',
  rollup: 'Pss:   300 kB\n',
  maps: [
    '7f0000000000-7f0000100000 rw-s 00000000 00:18 11 /dev/shm/triton_a',
    '7f0000100000-7f0000180000 rw-s 00100000 00:18 11 /dev/shm/triton_a',
    '7f0000200000-7f0000300000 rw-s 00000000 00:18 12 /dev/shm/twb-b (deleted)',
    '7f0000400000-7f0000500000 r--p 00000000 08:01 99 /usr/lib/libc.so',
  ].join('\n'),
  handles: 55,
};

describe('processReading', () => {
  it('reads memory, threads, handles and what is mapped of /dev/shm', () => {
    expect(processReading(texts)).toEqual({
      ...{ pid: 7, argv: ['tritonserver', '--model-repository=/m'], rss: 512 * 1024, pss: 300 * 1024 },
      ...{ virtual: 900 * 1024, shm: 0x28_0000, threads: 40, handles: 55 },
    });
  });

  it('leaves unknown what may not be read, and ended processes out', () => {
    expect(processReading({ ...texts, rollup: '', maps: null, handles: null })).toMatchObject({
      ...{ pss: null, shm: null, handles: null, rss: 512 * 1024 },
    });
    expect(processReading({ ...texts, status: '' })).toBeNull();
    expect(processReading({ ...texts, status: 'Name:\tx\nState:\tZ (zombie)\n' })).toBeNull();
  });
});

describe('readProcesses', () => {
  it('reads this process, and not one that is gone', async () => {
    const [own, ...others] = await readProcesses([process.pid, 2 ** 22 - 1]);
    expect(others).toEqual([]);
    expect(own?.pid).toBe(process.pid);
    expect(own?.rss).toBeGreaterThan(10e6);
    expect(own?.threads).toBeGreaterThan(1);
    expect(own?.handles).toBeGreaterThan(3);
    expect(own?.shm).not.toBeNull();
  });
});

describe('listProcessesScript', () => {
  it('prints in a shell what is read of this process here', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', listProcessesScript], { maxBuffer: 2 ** 26 });
    const listed = parseProcessList(stdout);
    const [own] = await readProcesses([process.pid]);
    const found = listed.find(({ pid }) => pid === process.pid);
    expect(found?.argv).toEqual(own?.argv);
    expect(found?.threads).toBe(own?.threads);
    expect(Math.abs((found?.rss ?? 0) - (own?.rss ?? 0))).toBeLessThan(200e6);
    expect(found?.handles).toBeGreaterThan(3);
    // Not the shell that lists them.
    expect(listed.some(({ argv }) => argv.join(' ').includes('==twb=='))).toBe(false);
  });

  it('has nothing to say of other texts', () => {
    expect(parseProcessList('')).toEqual([]);
    expect(parseProcessList('sh: not found\n==twb== x\n')).toEqual([]);
  });
});

describe('withDescendants', () => {
  it('finds what a process started', async () => {
    const child = spawn('sleep', ['30']);
    try {
      expect(await withDescendants(process.pid)).toEqual(expect.arrayContaining([process.pid, child.pid]));
      expect(await withDescendants(child.pid ?? 0)).toEqual([child.pid]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
