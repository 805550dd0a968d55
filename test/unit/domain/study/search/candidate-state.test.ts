import { describe, expect, it } from 'vitest';
import type { Look, Searched, SearchStrategy } from '../../../../../main/contract/study/search';
import { capacityOf, isCapacity } from '../../../../../main/domain/measured/capacity';
import { capacityText } from '../../../../../main/domain/measured/capacity-text';
import { rateOf } from '../../../../../main/domain/study/search/arms';
import { candidateState } from '../../../../../main/domain/study/search/candidate-state';
import { ratePoint } from '../../../../support/rate-run';
import { completeState } from '../../../../support/run-state';

const run = completeState();
const { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads } =
  run.source.spec.configure;
const one = { instances, maxBatchSize, batching, preferredBatchSizes, maxQueueDelayUs, threads };
const search: SearchStrategy = {
  ...{ kind: 'search', runId: run.runId, candidates: [one, { ...one, instances: 3 }] },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1500, fullMs: 3000 },
};

const { scheduled } = ratePoint(100);
const look = (candidate: number, step: number, p99Ms: number, change: Partial<Look> = {}): Look => {
  const p99Us = 1000 * p99Ms;
  if (scheduled === undefined) throw new Error('The fixture has a schedule');
  return {
    ...{ candidate, phase: 'edge', load: { requestRate: rateOf(step) }, seconds: 1.5 },
    ...{ inferencesPerSecond: rateOf(step), latencyUs: p99Us, requestCount: 400, errorCount: 0 },
    ...{ meanServerBatch: 2, serverQueueUs: 10 },
    measured: {
      ...{ avgUs: 4000, p50Us: 4000, p90Us: 6000, p95Us: 7000, p99Us },
      scheduled: { ...scheduled, p99Us },
    },
    ...change,
  };
};
const searchedOf = (...looks: readonly Look[]): Searched => ({ looks, failed: {} });
const stateOf = (searched: Searched, candidate: number) =>
  candidateState(run, { name: 'night', search, searched }, candidate);
const ask = { rate: 1000, p99Ms: 20, headroom: 0, spare: 0, pricePerHour: 3.6 };

function planned(searched: Searched, candidate: number) {
  const found = capacityOf(stateOf(searched, candidate), ask);
  if (isCapacity(found)) return found;
  throw new Error(found.text);
}

describe('a candidate of a search as a run', () => {
  it('has its configuration, its name, and the target of the search', () => {
    const state = stateOf(searchedOf(), 2);
    expect(state.source.spec.configure).toEqual({ ...run.source.spec.configure, instances: 3 });
    expect(state).toMatchObject({ name: 'search night, model instances 3', p99BudgetMs: 20, memory: null });
  });

  it('has the memory that the search measured, and the present one else that of its run', () => {
    const mib = (count: number) => ({ hostBytes: count * 1024 ** 2, gpuBytes: null });
    const memory = { 0: mib(500), 1: mib(100), 2: mib(250) };
    const searched = { ...searchedOf(look(2, 100, 12)), memory };
    expect(stateOf(searched, 2).memory?.server).toEqual(mib(650));
    const own = { context: mib(1), shared: mib(2), instance: mib(3), batch: mib(4), totals: mib(9) };
    const known = { ...run, memory: { ...own, maxBatchSize: 8, instances: 1 } };
    const of = (candidate: number) =>
      candidateState(known, { name: 'night', search, searched: searchedOf() }, candidate).memory;
    expect(of(1)).toEqual(known.memory);
    expect(of(2)).toBeNull();
  });

  it('plans with the rate that may be promised, not with one that was held briefly', () => {
    const confirms = Array.from({ length: 5 }, () => look(2, 98, 13, { phase: 'confirm' }));
    const searched = searchedOf(look(2, 96, 12), look(2, 100, 18), look(2, 101, 30), ...confirms);
    const heldAt = (of: Searched, promised: boolean) => {
      const state = candidateState(run, { name: 'night', search, searched: of, promised }, 2);
      const found = capacityOf(state, ask);
      return isCapacity(found) ? found.heldRate : null;
    };
    expect(heldAt(searched, true)).toBe(rateOf(98));
    expect(heldAt(searched, false)).toBe(rateOf(100));
    // Cut short before the promised rate was measured.
    expect(heldAt(searchedOf(look(2, 100, 18), look(2, 101, 30)), true)).toBe(rateOf(100));
  });

  it('has a level for each load, the median of its looks, and plans with the highest that holds', () => {
    const searched = searchedOf(
      ...[look(2, 100, 12), look(2, 100, 18), look(2, 100, 14)],
      ...[look(2, 102, 30), look(1, 110, 5)],
    );
    const found = planned(searched, 2);
    expect(found).toMatchObject({
      isOpen: true,
      heldRate: rateOf(100),
      next: { reason: 'p99 30.00 ms from schedule' },
    });
    expect(found.held.point).toMatchObject({ requestCount: 1200, scheduled: { p99Us: 14_000 } });
    expect(found.replicas).toBe(Math.ceil(1000 / rateOf(100)));
    expect(found.cost?.perMillionAtFullUse).toBeCloseTo((1e6 * 3.6) / (3600 * rateOf(100)), 9);
  });

  it('plans the present configuration by its own looks', () => {
    const found = planned(searchedOf(look(2, 100, 12), look(1, 90, 12)), 1);
    expect(found.heldRate).toBe(rateOf(90));
  });

  it('does not plan with a rate that was not kept up with, or at which requests failed', () => {
    const late = look(2, 100, 12, { inferencesPerSecond: 0.8 * rateOf(100) });
    const failing = look(2, 101, 12, { errorCount: 100 });
    const found = planned(searchedOf(look(2, 90, 12), late, failing), 2);
    expect(found.heldRate).toBe(rateOf(90));
    expect(found.next?.reason).toBe('rate not reached');
  });

  it('leaves out the closed looks that precede rates, and has no level of an earlier version', () => {
    const old = look(2, 100, 12, { measured: undefined });
    const closed = look(2, 100, 12, { phase: 'screen', load: { concurrency: 16 } });
    const found = capacityOf(stateOf(searchedOf(old, closed), 2), ask);
    expect(capacityText(found)).toBe('The run has no measured rate, so nothing can be planned with it.');
  });

  it('has the power and the memory of GPUs where the looks read them', () => {
    const gpus = (powerW: number, maxMemoryBytes: number) => [
      { uuid: 'GPU-1', utilization: 0.9, powerW, maxMemoryBytes, totalMemoryBytes: 8e9 },
    ];
    const withGpus = (of: Look, powerW: number, bytes: number): Look => ({
      ...of,
      measured: { ...(of.measured as NonNullable<Look['measured']>), gpus: gpus(powerW, bytes) },
    });
    const looks = [withGpus(look(2, 100, 12), 90, 2e9), withGpus(look(2, 100, 12), 110, 3e9)];
    const found = planned(searchedOf(...looks), 2);
    expect(found.energyJ).toBeCloseTo(100 / rateOf(100), 9);
    expect(found.memory).toEqual([{ uuid: 'GPU-1', usedBytes: 3e9, totalBytes: 8e9 }]);
  });

  it('has no p99 target where the search was for another percentile', () => {
    const of = { ...search, target: { ...search.target, percentile: 95 } };
    expect(candidateState(run, { name: 'n', search: of, searched: searchedOf() }, 1).p99BudgetMs).toBeNull();
  });
});
