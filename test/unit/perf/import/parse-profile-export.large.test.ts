import { describe, expect, it } from 'vitest';
import { parseProfileExport } from '../../../../main/perf/import/parse-profile-export';

const options = { fileName: 'export.json', batchSize: 1 };

// Both took longer than a test may: they were looked at again for each window, and for each quote.
describe('a large profile export', () => {
  it('counts each request once, in the window in which it ended', () => {
    const count = 19_999;
    const requests = Array.from({ length: count }, (_unused, index) => ({
      timestamp: 10 * index,
      response_timestamps: [10 * index + 5],
    }));
    const experiment = {
      experiment: { mode: 'concurrency', value: 1 },
      requests: [...requests].reverse(),
      window_boundaries: Array.from({ length: count + 1 }, (_unused, index) => 10 * index),
    };
    const { points } = parseProfileExport(JSON.stringify({ experiments: [experiment] }), options);
    const windows = points[0]?.windows ?? [];
    expect(windows).toHaveLength(count);
    expect(windows.every(({ requestCount }) => requestCount === 1)).toBe(true);
  });

  it('is read once where a text is not closed', () => {
    expect(() => parseProfileExport(`{"${'\\"'.repeat(1_000_000)}`, options)).toThrow('Not a JSON file');
  });
});
