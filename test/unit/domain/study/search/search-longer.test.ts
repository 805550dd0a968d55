import { describe, expect, it } from 'vitest';
import type { SearchRequest, SearchStrategy } from '../../../../../main/contract/study/search';
import { planSearch } from '../../../../../main/domain/study/search/plan-search';
import { longerSearch } from '../../../../../main/domain/study/search/search-longer';
import { completeState } from '../../../../support/run-state';

const plan = (request: SearchRequest): SearchStrategy =>
  planSearch(completeState(), { ...request, name: 'night' }, { onGpu: false, processors: 4 }).search;
const given: SearchRequest = { runId: 'run-1', space: {}, load: 'open' };
const longer = (search: SearchStrategy): SearchRequest => {
  const request = longerSearch(search);
  if (request === null) throw new Error('There is no longer search');
  return request;
};

describe('a longer search', () => {
  it.each<[string, Partial<SearchRequest>]>([
    ['its own choice of values', {}],
    ['one field', { space: { instances: [1, 2, 3], threads: [1] } }],
    ['no field', { space: { instances: [1], threads: [1], batching: ['static'] } }],
    ['delays of dynamic batching', { space: { batching: ['dynamic', 'static'], maxQueueDelayUs: [0, 500] } }],
    ['largest batches', { space: { maxBatchSize: [4, 16], preferredBatchSizes: [[4, 16], [8]] } }],
    ['sizes of requests', { space: { batchSize: [1, 2], maxBatchSize: [8, 16] } }],
    ['a concurrency', { load: 'closed', concurrency: [1, 8], batchSize: 2 }],
    ['a rate', { objective: { kind: 'latency' }, rate: 200, percentile: 95 }],
    ['a limit of memory', { memory: { hostBytes: 1e9 }, errorPercentage: 0, latencyUs: 25_000 }],
  ])('compares the same configurations under the same load for twice as long: %s', (_what, change) => {
    const before = plan({ ...given, ...change, budgetS: 600 });
    const { budgetS, lookMs, fullMs, ...after } = plan(longer(before));
    const { budgetS: beforeS, lookMs: shortLook, fullMs: shortFull, ...same } = before;
    const numbered = (search: Pick<SearchStrategy, 'candidates'>) =>
      search.candidates.map((one) => JSON.stringify(one)).toSorted();
    expect(numbered(after)).toEqual(numbered(same));
    expect(after.candidates[0]).toEqual(same.candidates[0]);
    expect({ ...after, candidates: [] }).toEqual({ ...same, candidates: [] });
    expect(budgetS).toBe(2 * beforeS);
    expect([lookMs >= shortLook, fullMs >= shortFull]).toEqual([true, true]);
  });

  it('sends the same trace, and measures at the same place', () => {
    const replay = { file: '/traces/july.csv', speed: 2, fromS: 0, toS: 60 };
    const read = { of: 'a', sha256: 'b', requests: 100, seconds: 60, namesInputs: false, models: {} };
    const search: SearchStrategy = {
      ...plan(given),
      load: { kind: 'open', batchSize: 1, replay: { ...replay, read: { ...read, largestBatchSize: 4 } } },
      server: { url: 'localhost:8000', metrics: 'localhost:8002', mark: 'abcdef' },
    };
    const request = longer(search);
    expect(request.replay).toEqual(replay);
    expect(request.server).toEqual({ url: 'localhost:8000', metrics: 'localhost:8002' });
    // Its sizes are those of the trace.
    expect(request).not.toHaveProperty('batchSize');
    expect(longer({ ...plan(given), host: 'gpu1' })).toMatchObject({ host: 'gpu1' });
  });

  it('tries the formats and precisions again, with the accelerators of the preset where each has one', () => {
    const [own] = plan(given).candidates;
    if (own === undefined) throw new Error('There are no candidates');
    const onnx = { ...own, format: 'onnx', precision: 'fp32', backendAccelerator: 'none' } as const;
    const trt = { ...own, format: 'ts-trace', precision: 'fp32', backendAccelerator: 'cuda' } as const;
    const of = (...candidates: SearchStrategy['candidates']) => longer({ ...plan(given), candidates }).space;
    expect(of(onnx, trt)).toMatchObject({ format: ['onnx', 'ts-trace'], precision: ['fp32'] });
    expect(of(onnx, trt)).not.toHaveProperty('backendAccelerator');
    expect(of(onnx, { ...onnx, backendAccelerator: 'trt' })).toMatchObject({
      backendAccelerator: ['none', 'trt'],
    });
  });

  it('is none of a model that a search makes first, which only its first plan knows', () => {
    expect(longerSearch({ ...plan(given), runId: null })).toBeNull();
  });
});
