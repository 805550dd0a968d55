import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNvidiaSmi } from '../../../main/machine/nvidia-smi';

const capture = (name: string) => readFile(join(import.meta.dirname, '../../fixtures/gpu', name), 'utf8');
const mebibyte = 1024 * 1024;

describe('nvidia-smi report', () => {
  it.each([
    ['tesla-t4.xml', 'Tesla T4', 'GPU-d37e67a5-91dd-3774-a5cb-99096249601a', 15_360, '515.105.01'],
    [
      'a100-sxm4-v12.xml',
      'NVIDIA A100-SXM4-80GB',
      'GPU-513536b6-7d19-9063-b049-1e69664bb298',
      81_920,
      '535.54.03',
    ],
    ['gtx-1660-ti.xml', 'Graphics Device', 'GPU-304a277d-3545-63b8-3a36-dfde3c992989', 5912, '418.43'],
    [
      'rtx-3080-v13.xml',
      'NVIDIA GeForce RTX 3080',
      'GPU-19d6d965-2acc-f646-00f8-4c76979aabb4',
      10_240,
      '595.58.03',
    ],
  ])('%s', async (file, name, uuid, memoryMiB, driver) => {
    expect(parseNvidiaSmi(await capture(file))).toEqual([
      { name, uuid, memoryBytes: memoryMiB * mebibyte, driver },
    ]);
  });

  it('reads several GPUs and none', () => {
    const gpu = (id: number) =>
      `<gpu id="${id}"><product_name>G${id}</product_name><uuid>GPU-${id}</uuid><fb_memory_usage><total>N/A</total></fb_memory_usage></gpu>`;
    const log = (inner: string) =>
      `<nvidia_smi_log><driver_version>1.2</driver_version>${inner}</nvidia_smi_log>`;
    expect(parseNvidiaSmi(log(gpu(0) + gpu(1)))?.map((found) => found.uuid)).toEqual(['GPU-0', 'GPU-1']);
    expect(parseNvidiaSmi(log(gpu(0)))?.[0]?.memoryBytes).toBe(0);
    expect(parseNvidiaSmi(log('<gpu id="00:01.0"><product_name>G</product_name></gpu>'))).toEqual([
      { name: 'G', uuid: '00:01.0', memoryBytes: 0, driver: '1.2' },
    ]);
    expect(parseNvidiaSmi(log(''))).toEqual([]);
  });

  it('gives null for whatever else is printed, cut or broken', async () => {
    const whole = await capture('tesla-t4.xml');
    expect(
      parseNvidiaSmi('NVIDIA-SMI has failed because it could not communicate with the driver.'),
    ).toBeNull();
    expect(parseNvidiaSmi(whole.slice(0, 400))).toBeNull();
    fc.assert(
      fc.property(fc.nat(whole.length), fc.string(), (at, junk) => {
        const found = parseNvidiaSmi(whole.slice(0, at) + junk + whole.slice(at));
        expect(found === null || Array.isArray(found)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
