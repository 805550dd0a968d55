import { describe, expect, it } from 'vitest';
import type { GpuFacts } from '../../../main/contract/machine';
import { parseNvidiaSmi } from '../../../main/machine/nvidia-smi';
import { chosenDevices, gpusOfPlan, idlestDevice, idlestGpu } from '../../../main/machine/preflight-gpu';
import { readCapture } from './captures';

const report = parseNvidiaSmi(await readCapture('tesla-t4.xml'));
const [t4] = report?.gpus ?? [];
if (t4 === undefined) throw new Error('the capture has no GPU');

/** The T4 of the capture as one of several. */
const gpu = (index: number, gpuPercent: number | null, memoryUsedBytes: number | null): GpuFacts => ({
  ...t4,
  index,
  uuid: `GPU-${index}`,
  load: { ...t4.load, gpuPercent, memoryUsedBytes },
});

const mebibyte = 1024 * 1024;

describe('the idlest GPU', () => {
  it.each([
    ['has the least load', [gpu(0, 97, 0), gpu(1, 3, 5 * mebibyte), gpu(2, 50, 0)], 'GPU-1'],
    ['of equal loads has the most memory free', [gpu(0, 0, 9000 * mebibyte), gpu(1, 0, mebibyte)], 'GPU-1'],
    ['of equals is the first', [gpu(0, 0, 0), gpu(1, 0, 0)], 'GPU-0'],
    ['may be one of which the driver says nothing', [gpu(0, 10, 0), gpu(1, null, null)], 'GPU-1'],
  ])('%s', (_what, gpus, uuid) => {
    expect(idlestGpu({ gpus })?.uuid).toBe(uuid);
    expect(idlestDevice({ gpus })).toBe(uuid);
    expect(gpusOfPlan({ gpus: { gpus }, plan: { gpuIds: ['idlest'] } }).map((one) => one.uuid)).toEqual([
      uuid,
    ]);
  });

  it('is none where there is none', () => {
    expect(idlestDevice({ gpus: [] })).toBeNull();
    expect(gpusOfPlan({ gpus: { gpus: [] }, plan: { gpuIds: ['idlest'] } })).toEqual([]);
  });

  it('in MIG mode is given by its slice with the most memory free', () => {
    const slice = (index: number, memoryUsedBytes: number) => ({
      ...{ index, gpuInstanceId: index, computeInstanceId: 0, multiprocessors: 14 },
      uuid: `MIG-${index}`,
      memoryTotalBytes: 10_000 * mebibyte,
      memoryUsedBytes,
    });
    const devices = [slice(0, 8000 * mebibyte), slice(1, 12 * mebibyte)];
    const split = { ...gpu(0, null, 0), mig: { enabled: true, devices } };
    expect(idlestDevice({ gpus: [split] })).toBe('MIG-1');
    expect(idlestDevice({ gpus: [{ ...split, mig: { enabled: true, devices: [] } }] })).toBe('GPU-0');
  });
});

describe('GPUs of a run, when it is created', () => {
  const gpus = [gpu(0, 90, 0), gpu(1, 3, 0)];
  const split = { ...gpu(2, null, 0), mig: { enabled: true, devices: [] } };

  it.each([
    ['the idlest by its UUID', ['idlest'], gpus, ['GPU-1']],
    ['all of them one by one, so that their number is known', ['all'], gpus, ['GPU-0', 'GPU-1']],
    ['as they were chosen', ['GPU-0'], gpus, null],
    ['all, where the driver decides what of MIG is seen', ['all'], [...gpus, split], null],
    ['all, where one has no UUID', ['all'], [{ ...gpu(0, 0, 0), uuid: null }], null],
    ['all, where none is known', ['all'], [], null],
  ])('%s', (_what, ids, of, expected) => {
    expect(chosenDevices(ids, { gpus: of })).toEqual(expected);
  });
});
