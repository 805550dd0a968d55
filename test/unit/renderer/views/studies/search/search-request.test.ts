import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../../../../../main/contract/study/search';
import {
  searchRequestOf,
  searchTextOf,
} from '../../../../../../renderer/views/studies/search/search-request';

const runId = 'run-1';
const like: SearchRequest = {
  ...{ runId, load: 'open', batchSize: 2, percentile: 95, latencyUs: 12_500, budgetS: 120 },
  ...{ errorPercentage: 0, memory: { hostBytes: 1e9 }, objective: { kind: 'cost', pricePerHour: 2 } },
  space: { instances: [1, 2], threads: [1], preferredBatchSizes: [[8]], precision: ['fp16'] },
};
const asked = (of: SearchRequest) => {
  const subject = { runId, like: of };
  return searchRequestOf(searchTextOf(subject), subject);
};

describe('a search that is to be like another one', () => {
  it.each<[string, SearchRequest]>([
    ['with what the form has no field for', like],
    ['at a concurrency', { runId, load: 'closed', concurrency: [4, 8], space: {}, budgetS: 60 }],
    [
      'with a trace',
      { runId, load: 'open', space: {}, budgetS: 60, replay: { file: '/a.csv', speed: 2, fromS: 1, toS: 9 } },
    ],
    ['on a host', { runId, load: 'open', space: {}, budgetS: 60, host: 'gpu1' }],
    [
      'on a running Triton, which is asked at once',
      { runId, load: 'open', space: {}, budgetS: 60, server: { url: 'here:8000', metrics: 'here:8002' } },
    ],
  ])('is asked for as it was: %s', (_what, request) => {
    expect(asked(request)).toEqual(request);
  });

  it('takes what is typed in its form in place of that', () => {
    const subject = { runId, like };
    const text = searchTextOf(subject);
    expect(text).toMatchObject({ latencyMs: 12.5, minutes: 2, tried: { instances: '1, 2', threads: '1' } });
    const tried = { ...text.tried, instances: '4' };
    expect(searchRequestOf({ ...text, tried, minutes: 3, load: 'closed' }, subject)).toEqual({
      ...{ runId, load: 'closed', batchSize: 2, percentile: 95, latencyUs: 12_500, budgetS: 180 },
      ...{ errorPercentage: 0, memory: { hostBytes: 1e9 } },
      space: { instances: [4], threads: [1], preferredBatchSizes: [[8]], precision: ['fp16'] },
    });
  });
});

it('without one to be like, the search chooses', () => {
  const choice = { preset: 'resnet50', overrides: {} };
  for (const subject of [{ runId }, { choice }]) {
    expect(searchRequestOf(searchTextOf(subject), subject)).toEqual({
      ...subject,
      ...{ load: 'open', space: {}, budgetS: 300 },
    });
  }
});
