import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { loadPointSchema } from '../../../../main/contract/measured/results';
import { parseCaptureCsv } from '../../../../main/perf/import/parse-capture-csv';
import { parseProfileExport } from '../../../../main/perf/import/parse-profile-export';

const fixture = (name: string) =>
  readFileSync(join(process.cwd(), 'test', 'fixtures', 'perf-analyzer', name), 'utf8');
const parse = (text: string, batchSize = 1) => parseProfileExport(text, { fileName: 'p.json', batchSize });
function refusal(text: string): WorkbenchError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

/** A request of so many microseconds that begins so late, both from a day in 2026. */
const startNs = 1_795_284_798_430_219_701n;
const at = (us: number): string => String(startNs + BigInt(us) * 1000n);
function exported(change: object = {}): string {
  const experiment = {
    experiment: { mode: 'concurrency', value: 1 },
    requests: [{ timestamp: '@0', response_timestamps: ['@500'] }],
    window_boundaries: ['@0', '@1000'],
    ...change,
  };
  return JSON.stringify({ experiments: [experiment] }).replace(/"@(\d+)"/g, (_text, us: string) =>
    at(Number(us)),
  );
}

describe('a profile export of perf_analyzer', () => {
  it.each([
    ['profile-concurrency', 2],
    ['profile-rate', 1],
  ])('%s comes to what perf_analyzer wrote into its CSV file in the same run', (name, batchSize) => {
    const { points } = parse(fixture(`${name}.json`), batchSize);
    const expected = parseCaptureCsv(fixture(`${name}.csv`), { fileName: 'p.csv', batchSize }).points;
    expect(points).toHaveLength(expected.length);
    for (const [index, point] of points.entries()) {
      const row = expected[index];
      expect(loadPointSchema.safeParse(point).error).toBeUndefined();
      expect(point.inferencesPerSecond).toBeCloseTo(row?.inferencesPerSecond ?? NaN, 3);
      // perf_analyzer cuts times down to whole microseconds.
      const whole = [point.p50Us, point.p90Us, point.p95Us, point.p99Us, point.avgUs].map((us) =>
        Math.floor(us ?? NaN),
      );
      expect(whole).toEqual([row?.p50Us, row?.p90Us, row?.p95Us, row?.p99Us, row?.avgUs]);
      expect([point.concurrency, point.requestRate]).toEqual([row?.concurrency, row?.requestRate]);
      expect(point.windows.reduce((sum, window) => sum + (window.requestCount ?? 0), 0)).toBe(
        point.requestCount,
      );
      expect(point.serverQueueUs).toBeNull();
    }
  });

  it('is exact to the microsecond although its times are beyond the whole numbers of JSON', () => {
    const text = exported({ requests: [{ timestamp: '@0', response_timestamps: ['@7'] }] });
    expect(parse(text).points[0]?.p50Us).toBe(7);
  });

  it('leaves a number that stands in a text as it is', () => {
    const text = exported({
      requests: [
        {
          timestamp: '@0',
          response_timestamps: ['@500'],
          response_outputs: [{ OUT: ': 1234567890123456789,' }],
        },
      ],
    });
    expect(parse(text).points[0]?.requestCount).toBe(1);
  });

  it('counts a request to the last of its responses, and one without any as failed', () => {
    const text = exported({
      requests: [
        { timestamp: '@0', response_timestamps: ['@100', '@900'] },
        { timestamp: '@10', response_timestamps: [] },
      ],
    });
    expect(parse(text).points[0]).toMatchObject({ p50Us: 900, requestCount: 1, errorCount: 1 });
  });

  it('leaves out what ended outside the windows', () => {
    const text = exported({
      requests: [
        { timestamp: '@0', response_timestamps: ['@500'] },
        { timestamp: '@600', response_timestamps: ['@1100'] },
      ],
    });
    expect(parse(text).points[0]?.requestCount).toBe(1);
  });

  it('without windows goes from the first request to the last response, and says so', () => {
    const { points, notes } = parse(exported({ window_boundaries: [] }));
    expect(points[0]).toMatchObject({ inferencesPerSecond: 2000, windows: [] });
    expect(notes.join(' ')).toContain('1 experiments have no windows');
  });
});

describe('a file that is no profile export', () => {
  it.each([
    ['JSON cut off', fixture('profile-rate.json').slice(0, 5000), /Not a JSON file/, 'p.json'],
    ['another JSON', '{"traceEvents":[]}', /Not written by perf_analyzer/, 'p.json, experiments'],
    ['no experiment', '{"experiments":[]}', /Not written by perf_analyzer/, 'p.json, experiments'],
    [
      'a time that is none',
      exported({ requests: [{ timestamp: 'noon', response_timestamps: [] }] }),
      /number of nanoseconds/,
      'p.json, experiments[0].requests[0].timestamp',
    ],
    [
      'an answer before its question',
      exported({ requests: [{ timestamp: '@500', response_timestamps: ['@100'] }] }),
      /older than its request/,
      'p.json, experiments[0].requests[0]',
    ],
    [
      'nothing answered',
      exported({ requests: [] }),
      /No request was answered/,
      'p.json, experiments[0].requests',
    ],
    [
      'windows that go back',
      exported({ window_boundaries: ['@0', '@1000', '@900'] }),
      /do not ascend/,
      'p.json, experiments[0].window_boundaries[2]',
    ],
    [
      'a mode that there is not',
      exported({ experiment: { mode: 'sleep', value: 1 } }),
      /not a perf_analyzer mode/,
      'p.json, experiments[0].experiment.mode',
    ],
    [
      'a load of nothing',
      exported({ experiment: { mode: 'concurrency', value: 0 } }),
      /0 is not a load/,
      'p.json, experiments[0].experiment.value',
    ],
  ])('%s is refused with its field', (_name, text, message, where) => {
    const error = refusal(text);
    expect(error.code).toBe('input-invalid');
    expect(error.message).toMatch(message);
    expect(error.where).toBe(where);
  });

  it('takes the last three windows, as perf_analyzer does for its own row, and says whether they are steady', () => {
    const requests = [10, 500, 1500, 1600, 2500, 2600, 3500, 3600].map((us) => ({
      timestamp: `@${us}`,
      response_timestamps: [`@${us + 50}`],
    }));
    const level = { requests, window_boundaries: ['@0', '@1000', '@2000', '@3000', '@4000'] };
    const [point] = parse(exported(level)).points;
    expect(point).toMatchObject({
      requestCount: 6,
      inferencesPerSecond: 2000,
      stable: true,
      elapsedUs: 4000,
    });
    expect(point?.windows).toHaveLength(4);
    const uneven = { ...level, requests: requests.slice(0, -1) };
    expect(parse(exported(uneven)).points[0]).toMatchObject({ requestCount: 5, stable: false });
  });
});
