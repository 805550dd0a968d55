import { expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { LoadLevel, MeasuringTurn } from '../../../../main/contract/run/sweep';
import { holdEdge } from '../../../../main/pipeline/measure/hold-edge';
import { pointFixture } from '../../../support/run-state';

const plan = {
  first: { batchSize: 1, concurrency: 128, requestRate: 10 },
  loadTool: 'native' as const,
  ...{ thresholdUs: 20_000, mostRate: 1e6 },
};

/** @param capacity requests a second within the target for a moment; @param long for longer */
function server(
  { capacity, long }: { readonly capacity: number; readonly long: number },
  stopAfter = Infinity,
) {
  const probed: number[] = [];
  const held: number[] = [];
  const pointOf = (level: LoadLevel, most: number): LoadPoint => ({
    ...pointFixture(level),
    inferencesPerSecond: level.requestRate ?? 0,
    p99Us: (level.requestRate ?? 0) <= most ? 10_000 : 90_000,
  });
  return {
    ...{ probed, held },
    known: () => Promise.resolve(null),
    shouldStop: () => probed.length + held.length >= stopAfter,
    probe: (level: LoadLevel) => {
      probed.push(level.requestRate ?? 0);
      return Promise.resolve(pointOf(level, capacity));
    },
    measure: ({ level }: MeasuringTurn) => {
      held.push(level.requestRate ?? 0);
      return Promise.resolve(pointOf(level, long));
    },
  };
}

it('holds just below what a moment holds, and measures that alone', async () => {
  const host = server({ capacity: 500, long: 500 });
  const { found, tried, stopped } = await holdEdge(plan, host);
  expect({ tried, stopped }).toEqual({ tried: 1, stopped: false });
  expect(host.held).toHaveLength(1);
  expect(found?.[0]?.requestRate).toBe(host.held[0]);
  expect(host.held[0]).toBeLessThan(500);
  expect(host.held[0]).toBeGreaterThan(500 / 1.12);
});

it('backs off until the rate is held', async () => {
  const host = server({ capacity: 500, long: 420 });
  const { found } = await holdEdge(plan, host);
  expect(host.held.length).toBeGreaterThan(1);
  expect(host.held.slice(0, -1).every((rate) => rate > 420)).toBe(true);
  expect(found?.[0]?.requestRate).toBe(host.held.at(-1));
  expect(host.held.at(-1)).toBeLessThanOrEqual(420);
});

it('finds none where no rate is held, and ends', async () => {
  expect(await holdEdge(plan, server({ capacity: 0, long: 0 }))).toMatchObject({ found: [], stopped: false });
  const never = server({ capacity: 500, long: 0 });
  expect(await holdEdge(plan, never)).toMatchObject({ found: [], stopped: false });
  expect(never.held).toHaveLength(5);
});

it('stops where it is asked to, without an answer', async () => {
  const host = server({ capacity: 500, long: 500 }, 3);
  expect(await holdEdge(plan, host)).toMatchObject({ stopped: true, found: null });
  expect(host.probed).toHaveLength(3);
  expect(host.held).toHaveLength(0);
});
