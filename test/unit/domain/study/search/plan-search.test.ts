import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../../../../main/contract/study/search';
import { planSearch } from '../../../../../main/domain/study/search/plan-search';
import { completeState } from '../../../../support/run-state';

const machine = { onGpu: false, processors: 2 };
const request = {
  runId: 'run-1',
  name: 'night',
  space: { instances: [1, 2] },
  load: 'open',
} satisfies SearchRequest;
const plan = (change: Partial<Omit<SearchRequest, 'name'>> = {}, run = completeState()) =>
  planSearch(run, { ...request, ...change }, machine);

describe('the target of a search', () => {
  it('is what was asked for', () => {
    const { search, notes } = plan({ percentile: 95, latencyUs: 12_000, errorPercentage: 0 });
    expect(search.target).toEqual({ percentile: 95, latencyUs: 12_000, errorPercentage: 0 });
    expect(notes).toEqual(['Target: p95 12.00 ms.']);
  });

  it('is else the budget of the run', () => {
    const { search, notes } = plan({}, { ...completeState(), p99BudgetMs: 17 });
    expect(search.target).toMatchObject({ percentile: 99, latencyUs: 17_000 });
    expect(notes).toEqual(['Target: p99 17.00 ms, the p99 budget of the run.']);
  });

  it('is else a multiple of what the lowest level takes, and says so', () => {
    const [note] = plan().notes;
    expect(note).toMatch(/^Target: p99 [\d.,]+ ms, 3 times the p99 of the lowest level\.$/);
  });
});

it('has the run as its first candidate, and the loads in order', () => {
  const run = completeState();
  const { search, spec } = plan({ load: 'closed', concurrency: [8, 1, 8], batchSize: 2 }, run);
  expect(search.candidates[0]).toMatchObject({ instances: run.source.spec.configure.instances });
  expect(search.load).toEqual({ kind: 'closed', batchSize: 2, concurrency: [1, 8] });
  expect(spec).toEqual({ name: 'night', strategy: { ...search, trials: [] }, hosts: null });
});

it('refuses a budget that is too short for one look at each and the last comparison, with the one that does', () => {
  expect(() => plan({ budgetS: 10 })).toThrow(/configurations need at least \d+ s of load/);
  try {
    plan({ budgetS: 10 });
  } catch (error) {
    const remedy = (error as { readonly remedy: string }).remedy;
    const seconds = Number(/--budget (\d+)s/.exec(remedy)?.[1]);
    expect(plan({ budgetS: seconds }).search.budgetS).toBe(seconds);
  }
});

it('refuses more configurations than a search compares', () => {
  const instances = Array.from({ length: 201 }, (_unused, at) => at + 1);
  expect(() => plan({ space: { instances, threads: [1], batching: ['static'] } })).toThrow(
    /configurations are more than a search compares: 200/,
  );
});

describe('the objective of a search', () => {
  it('is a rate of its own and no target where the lowest latency is asked for', () => {
    const { search, notes } = plan({ objective: { kind: 'latency' }, rate: 40, budgetS: 600 });
    expect(search).toMatchObject({
      load: { kind: 'open', rate: 40 },
      target: { latencyUs: null },
      objective: { kind: 'latency' },
    });
    // 400 requests behind the warm-up, or ten seconds.
    expect(search.lookMs).toBe(10_000);
    expect(notes[0]).toBe('Objective: the lowest latency at the rate of 40.00 requests/s.');
  });

  it('fits its looks into the budget, and refuses one that leaves nothing for the last comparison', () => {
    const latency = {
      ...{ objective: { kind: 'latency' as const }, rate: 8 },
      space: { instances: [1], threads: [1] },
    };
    const { search } = plan({ ...latency, budgetS: 120 });
    const seconds = (search.lookMs * search.candidates.length + 10 * search.fullMs) / 1000;
    expect(seconds).toBeLessThanOrEqual(120);
    expect(() => plan({ ...latency, budgetS: 20 })).toThrow(/configurations need at least \d+ s of load/);
  });

  it('is named with its price, and the limits of memory with their size', () => {
    const objective = { kind: 'cost', pricePerHour: 2.5 } as const;
    const { search, notes } = plan({ objective, memory: { hostBytes: 2 ** 31 } });
    expect(search).toMatchObject({ objective, memory: { hostBytes: 2 ** 31 } });
    expect(notes.slice(0, 2)).toEqual([
      'Objective: the lowest cost per inference within the target, at 2.5 per hour for one replica with its GPUs.',
      'Host memory: at most 2.0 GiB.',
    ]);
  });

  it.each([
    ['--rate', { objective: { kind: 'latency' } }],
    ['--rate', { rate: 40 }],
    ['--load', { objective: { kind: 'latency' }, rate: 40, load: 'closed' }],
    ['--batch-sizes', { objective: { kind: 'latency' }, rate: 40, space: { batchSize: [1, 2] } }],
    ['--gpu-memory', { memory: { gpuBytes: 2 ** 33 } }],
    ['--host-memory', { memory: { hostBytes: 2 ** 33 }, server: { url: 'localhost:8000' } }],
  ] satisfies readonly (readonly [string, Parameters<typeof plan>[0]])[])(
    'is refused with %s where it lacks something: %j',
    (where, change) => {
      expect(() => plan(change)).toThrow(expect.objectContaining({ code: 'input-invalid', where }));
    },
  );
});
