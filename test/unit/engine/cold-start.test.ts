import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import {
  answeredInOrder,
  type ColdInput,
  type ColdRequest,
  coldRequests,
  firstOfRunning,
  measureFirstRequests,
  requireAnswered,
  spreadSizes,
  unloadAll,
} from '../../../main/engine/cold-start';
import type { RepositoryEntry } from '../../../main/triton/client';
import { type Tensor, zeroTensor } from '../../../main/triton/tensor';
import { rejection } from '../../support/rejection';

const requestOf = (batchSize: number): ColdRequest => ({
  batchSize,
  inputs: [zeroTensor('INPUT', 'FP32', [batchSize, 2])],
});

const refusal = new WorkbenchError('inference-failed', 'it refused');

/** A model that notes what happens to it. @param fails batch sizes that it refuses */
function noted(sizes: readonly number[], change: Partial<ColdInput> = {}, fails: readonly number[] = []) {
  const events: string[] = [];
  const input: ColdInput = {
    load: () => {
      events.push('load');
      return Promise.resolve();
    },
    unload: () => {
      events.push('unload');
      return Promise.resolve();
    },
    requests: () => Promise.resolve({ requests: sizes.map(requestOf), isShared: false }),
    send: ([input]: readonly Tensor[]) => {
      const size = input?.shape[0] ?? 0;
      events.push(String(size));
      return fails.includes(size) ? Promise.reject(refusal) : Promise.resolve();
    },
    longestLoadUs: Number.POSITIVE_INFINITY,
    ...change,
  };
  return { input, events };
}

describe('first requests', () => {
  it('have a load of their own each where loads are quick, and leave nothing loaded', async () => {
    const { input, events } = noted([1, 4, 8], { next: 1 });
    const times = await measureFirstRequests(input);
    expect(events.join(' ')).toBe('load 1 1 unload load 4 4 unload load 8 8 unload');
    expect(times).toMatchObject({ loads: 'own', isLoaded: false });
    expect(times.requests.map(({ batchSize, nextUs }) => [batchSize, nextUs.length])).toEqual([
      [1, 1],
      [4, 1],
      [8, 1],
    ]);
  });

  it('come after one load, ascending, where loads would take too long', async () => {
    const load = () => sleep(700);
    const { input, events } = noted([1, 4, 8], { load });
    expect(await measureFirstRequests(input)).toMatchObject({ loads: 'shared', isLoaded: false });
    expect(events.join(' ')).toBe('1 4 8 unload');
  });

  it('come after one load where unloads would take too long, and where they are told to', async () => {
    const slow = noted([1, 4, 8], { unload: () => sleep(700) });
    expect(await measureFirstRequests(slow.input)).toMatchObject({ loads: 'shared', isLoaded: false });
    expect(slow.events.join(' ')).toBe('load 1 load 1 4 8');
    const requests = () => Promise.resolve({ requests: [1, 4].map(requestOf), isShared: true });
    const told = noted([], { requests });
    expect(await measureFirstRequests(told.input)).toMatchObject({ loads: 'shared' });
    expect(told.events.join(' ')).toBe('load 1 4 unload');
  });

  it('are left out where the load takes longer than it may, and the model stays loaded', async () => {
    const { input, events } = noted([1], { longestLoadUs: -1 });
    const times = await measureFirstRequests(input);
    expect(times).toMatchObject({ isLoaded: true, requests: [] });
    expect(times.reason).toBe('the load takes too long to be done a second time');
    expect(events).toEqual(['load']);
  });

  it('keep the reason of one that is refused, and go to the next', async () => {
    const times = await measureFirstRequests(noted([1, 4], {}, [1]).input);
    expect(times.requests[0]).toEqual({ batchSize: 1, firstUs: null, nextUs: [], error: 'it refused' });
    expect(times.requests[1]?.firstUs).toBeGreaterThanOrEqual(0);
  });

  it('end with the server', async () => {
    const gone = new WorkbenchError('server-unreachable', 'gone');
    const { input } = noted([1], { send: () => Promise.reject(gone) });
    expect(await rejection(measureFirstRequests(input))).toBe(gone);
  });
});

describe('the requests', () => {
  const row = (size: number): readonly Tensor[] => [zeroTensor('ids', 'INT64', [1, size])];

  it('are each size that the model takes in the first shape, and the other shapes at the smallest', () => {
    const samples = [
      { row: row(16), shape: 'ids [16]' },
      { row: row(32), shape: 'ids [32]' },
    ];
    const found = coldRequests(samples, [2, 4, 32], { maxBatchSize: 8 });
    expect(found.map(({ batchSize, shape, inputs }) => [batchSize, shape, inputs[0]?.shape])).toEqual([
      [2, 'ids [16]', [2, 16]],
      [4, 'ids [16]', [4, 16]],
      [2, 'ids [32]', [2, 32]],
    ]);
  });

  it('are one as it is without a batch dimension', () => {
    const found = coldRequests([{ row: row(16) }], [1, 4], { maxBatchSize: 0 });
    expect(found).toEqual([{ batchSize: 1, inputs: row(16) }]);
  });

  it('are of at most eight sizes, with both ends', () => {
    const many = Array.from({ length: 20 }, (_one, at) => 20 - at);
    expect(spreadSizes(many)).toEqual([1, 4, 6, 9, 12, 15, 17, 20]);
    expect(spreadSizes([8, 1, 8])).toEqual([1, 8]);
  });
});

describe('unloading all', () => {
  it('returns once Triton has unloaded them, and says whether there was something', async () => {
    const states = ['READY', 'UNLOADING', 'UNAVAILABLE'];
    const unloaded: string[] = [];
    const client = {
      address: 'test',
      repositoryIndex: () =>
        Promise.resolve([{ name: 'a', state: states.shift() ?? 'UNAVAILABLE' }, { name: 'b' }]),
      unloadModel: (name: string) => {
        unloaded.push(name);
        return Promise.resolve();
      },
    } satisfies Parameters<typeof unloadAll>[0] & { repositoryIndex: () => Promise<RepositoryEntry[]> };
    expect(await unloadAll(client)).toBe(true);
    expect([unloaded, states]).toEqual([['a'], []]);
    expect(await unloadAll(client)).toBe(false);
  });
});

describe('a running server', () => {
  const clientOf = (inferenceCount: number) => ({
    modelStatistics: () => Promise.resolve([{ inferenceCount, executionCount: 0 }] as never),
  });
  const asked = (inferenceCount: number) =>
    firstOfRunning(
      { client: clientOf(inferenceCount), modelName: 'm', modelVersion: '1', config: {} },
      requestOf(1),
      () => Promise.resolve(),
    );

  it('is asked first where nobody has asked it', async () => {
    expect(await asked(0)).toMatchObject({ loads: 'running', requests: [{ batchSize: 1 }] });
  });

  it('is not asked where somebody has, with the reason', async () => {
    expect(await asked(3)).toMatchObject({
      requests: [],
      reason: 'Triton was already running, and the model had already served requests',
    });
  });
});

it('first answers are required of every request that was sent', async () => {
  const { input } = noted([], {}, [4]);
  const found = await answeredInOrder([1, 4].map(requestOf), input);
  expect(() => {
    requireAnswered(found);
  }).toThrow('it refused');
  expect(() => {
    requireAnswered(found.slice(0, 1));
  }).not.toThrow();
});
