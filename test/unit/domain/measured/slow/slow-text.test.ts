import { describe, expect, it } from 'vitest';
import { noTraces, withTrace } from '../../../../../main/contract/load/run-traces';
import type { SlowRequests } from '../../../../../main/contract/measured/slow-requests';
import {
  longestOf,
  partText,
  slowDocument,
  slowLevels,
  slowNotes,
  slowRows,
  slowText,
} from '../../../../../main/domain/measured/slow/slow-text';

const slow: SlowRequests = {
  ...{ model: 'whole', protocol: 'http', requests: 200, incomplete: 0, medianCount: 40, slowCount: 10 },
  ...{ medianUs: 12_000, slowUs: 48_000 },
  parts: [
    { model: null, phase: 'receive', medianUs: 100, slowUs: 100 },
    { model: 'resize', phase: 'infer', medianUs: 10_000, slowUs: 45_000 },
    { model: null, phase: 'other', medianUs: 1900, slowUs: 2900 },
  ],
  slowest: [],
};

describe('slowText', () => {
  it('names the longest part, and where the difference is', () => {
    expect(slowText(slow)).toBe(
      'The slowest 10 of 200 traced requests took 48.00 ms on average, those around the median 12.00 ms. Their longest part is resize: compute infer, 45.00 ms. Of the difference of 36.00 ms, 35.00 ms are in resize: compute infer.',
    );
    expect(longestOf(slow)).toMatchObject({ model: 'resize', phase: 'infer' });
  });

  it('does not look for a difference where there is none, or too few to have one', () => {
    expect(slowText({ ...slow, slowUs: 12_100 })).toContain('about as fast as the others');
    expect(slowText({ ...slow, requests: 2, slowCount: 1 })).toMatch(
      /^The slowest of 2 traced requests took /,
    );
    expect(slowText({ ...slow, requests: 2, slowCount: 1 })).not.toContain('difference');
  });
});

it('has a row per part and one of their sum', () => {
  expect(slowRows(slow)).toEqual([
    ['receive request', '0.100', '0.100', '0'],
    ['resize: compute infer', '10.00', '45.00', '35.00'],
    ['other', '1.90', '2.90', '1.00'],
    ['all', '12.00', '48.00', '36.00'],
  ]);
  expect(partText({ model: null, phase: 'queue' })).toBe('queue');
});

it('says what the figures leave out', () => {
  expect(slowNotes(slow)).toEqual([]);
  expect(slowNotes({ ...slow, protocol: 'grpc', incomplete: 1 }).join(' ')).toMatch(
    /gRPC does not separate .* 1 request has no beginning or no end/,
  );
});

it('has the traced levels of a run that are among its results', () => {
  const point = { batchSize: 1, concurrency: 4 };
  const traced = (key: string) => ({ key, event: { kind: 'traced' as const, slow: [slow] } });
  const scenarios = {
    offline: { points: [], missing: [] },
    online: { points: [{ key: 'k', point }], missing: [] },
  } as unknown as Parameters<typeof slowLevels>[0]['scenarios'];
  const traces = withTrace(withTrace(noTraces, traced('k')), traced('of an earlier specification'));
  expect(slowLevels({ scenarios, traces })).toEqual([
    { title: 'Online, batch size 1, concurrency 4', slow: [slow], problem: null },
  ]);
  expect(slowDocument({ runId: 'r' }, [])).toEqual({
    kind: 'triton-workbench-trace',
    version: 1,
    runId: 'r',
    levels: [],
  });
});
