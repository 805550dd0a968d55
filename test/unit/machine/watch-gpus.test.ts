import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GpuReading } from '../../../main/contract/machine';
import { parseGpuReading, pollGpus, watchGpus } from '../../../main/machine/watch-gpus';

const uuid = 'GPU-6f1f3f6c-2f5e-7c0e-4d0d-0d9c6f0c7a11';

describe('a line of nvidia-smi', () => {
  it('gives shares, bytes, watts and megahertz', () => {
    expect(parseGpuReading(`${uuid}, 97, 2048, 15360, 68.31, 1350, 0x0000000000000004`)).toEqual({
      uuid,
      utilization: 0.97,
      memoryUsedBytes: 2 * 1024 ** 3,
      memoryTotalBytes: 15 * 1024 ** 3,
      powerW: 68.31,
      smClockMHz: 1350,
      throttles: ['power limit'],
    });
  });

  it.each([
    ['0x0000000000000000', []],
    ['0x0000000000000001', []],
    ['0x0000000000000002', []],
    ['0x0000000000000020', ['temperature']],
    ['0x0000000000000060', ['temperature']],
    ['0x000000000000008c', ['power limit', 'hardware slowdown', 'power supply']],
    ['[N/A]', []],
  ])('%s holds the clocks down by %j', (bits, throttles) => {
    expect(parseGpuReading(`${uuid}, 1, 1, 1, 1, 1, ${bits}`)?.throttles).toEqual(throttles);
  });

  it('says nothing of what the driver does not know, as of a GPU with MIG devices', () => {
    expect(parseGpuReading(`${uuid}, [N/A], 40, 81920, [N/A], 1410, 0x0`)).toMatchObject({
      utilization: null,
      powerW: null,
      smClockMHz: 1410,
    });
  });

  it.each([
    '',
    'Field "clocks_event_reasons.active" is not a valid field to query.',
    `${uuid}, 1, 2`,
    'x, 1, 1, 1, 1, 1, 0x0',
  ])('"%s" is none', (line) => {
    expect(parseGpuReading(line)).toBeNull();
  });
});

describe('the GPUs of a measurement', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twb-watch-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** A stand-in for nvidia-smi that notes what it is asked and prints on. */
  async function recorder(script: string): Promise<NodeJS.ProcessEnv> {
    const program = join(folder, 'nvidia-smi');
    await writeFile(program, `#!/bin/sh\necho "$*" >> '${join(folder, 'asked')}'\n${script}\n`);
    await chmod(program, 0o755);
    return { PATH: `${folder}:/usr/bin:/bin` };
  }

  async function readingsUntil(env: NodeJS.ProcessEnv, count: number): Promise<readonly GpuReading[]> {
    const end = new AbortController();
    const readings: GpuReading[] = [];
    await watchGpus(
      env,
      (reading) => {
        readings.push(reading);
        if (readings.length === count) end.abort();
      },
      end.signal,
    );
    return readings;
  }

  const line = `echo '${uuid}, 50, 1, 2, 3, 4, 0x0'`;

  it('are read until the signal fires, by one nvidia-smi', async () => {
    const readings = await readingsUntil(await recorder(`while :; do ${line}; sleep 0.05; done`), 3);
    expect(readings).toHaveLength(3);
    expect((await readFile(join(folder, 'asked'), 'utf8')).trim()).toBe(
      '--query-gpu=uuid,utilization.gpu,memory.used,memory.total,power.draw,clocks.sm,clocks_event_reasons.active ' +
        '--format=csv,noheader,nounits --loop-ms=500',
    );
  });

  it('are read with the older name of the reasons where a driver does not know the newer', async () => {
    const script = `case "$*" in *clocks_event*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;; esac
while :; do ${line}; sleep 0.05; done`;
    expect(await readingsUntil(await recorder(script), 1)).toHaveLength(1);
  });

  it('are none without nvidia-smi', async () => {
    expect(await readingsUntil({ PATH: folder }, 1)).toEqual([]);
  });
});

it('asks another machine again and again, by the older name of a column where it does not know the newer', async () => {
  const end = new AbortController();
  const asked: string[] = [];
  const readings: GpuReading[] = [];
  await pollGpus(
    (argv) => {
      asked.push(argv[1] ?? '');
      if (asked.length === 1) return Promise.reject(new Error('the line was cut'));
      if (asked.length === 2)
        return Promise.resolve('Field "clocks_event_reasons.active" is not a valid field\n');
      return Promise.resolve(`${uuid}, 50, 1024, 15360, 68.31, 1350, 0x0000000000000000\n`);
    },
    (reading) => {
      readings.push(reading);
      end.abort();
    },
    end.signal,
  );
  expect(readings).toMatchObject([{ uuid, utilization: 0.5 }]);
  expect(asked.map((query) => query.split(',').at(-1))).toEqual([
    'clocks_event_reasons.active',
    'clocks_event_reasons.active',
    'clocks_throttle_reasons.active',
  ]);
});
