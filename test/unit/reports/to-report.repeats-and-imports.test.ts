// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { JournalBody } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';
import { csvOnline } from '../../../main/reports/csv.exporter';
import { html } from '../../../main/reports/html.exporter';
import { json } from '../../../main/reports/json.exporter';
import { toReport } from '../../../main/reports/to-report';
import { parseCsv } from '../../support/parse-csv';
import { createdBodies, pointFixture, specFixture, stateOf } from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const input = (state: RunState) => ({ state, report: toReport(state, context) });
const textOf = (state: RunState): string => {
  const page = new DOMParser().parseFromString(html.render(input(state)).content, 'text/html');
  page.querySelectorAll('style, svg').forEach((element) => {
    element.remove();
  });
  return page.body.textContent.replace(/\s+/g, ' ');
};
let keys = 0;
const measured = (change: Partial<LoadPoint>): JournalBody => {
  keys += 1;
  return { type: 'measurement', scenario: 'online', key: `k${keys}`, point: pointFixture(change) };
};

describe('a report of repeated and cross-checked levels', () => {
  const spec = specFixture(({ performance }) => {
    performance.repeats = 3;
    performance.crossCheck = true;
    performance.concurrency = [4];
  });
  const of = (loadTool: LoadPoint['loadTool'], rates: readonly number[]) =>
    rates.map((inferencesPerSecond, index) =>
      measured({ concurrency: 4, loadTool, repeat: index + 1, inferencesPerSecond }),
    );
  const state = stateOf([
    ...createdBodies(spec),
    ...of('native', [120, 122, 121]),
    ...of('perf_analyzer', [100, 101, 102]),
  ]);

  it('shows the median once, with the range and the count', () => {
    const rows = parseCsv(csvOnline.render(input(state)).content);
    expect(rows).toHaveLength(2);
    expect(rows[1]?.[2]).toBe('121');
    const text = textOf(state);
    expect(text).toContain('3 repeats');
    expect(text).toContain('120.0–122.0');
    expect(text).not.toContain('from schedule (ms)');
  });

  it('shows the range of the latencies from the schedule too, and whose the details are', () => {
    const due = (p99Us: number) => ({
      ...{ avgUs: 1000, p50Us: 2000, p90Us: 3000, p95Us: 4000, p99Us, maxUs: 9000 },
      delayedCount: 1,
    });
    const rated = [5000, 7000, 6000].map((p99Us, index) =>
      measured({
        ...{ concurrency: 4, requestRate: 100, loadTool: 'native', repeat: index + 1 },
        ...{ scheduled: due(p99Us), inferencesPerSecond: [90, 99, 95][index] ?? 0 },
      }),
    );
    const text = textOf(
      stateOf([
        ...createdBodies(
          specFixture(({ performance }) => {
            performance.repeats = 3;
            performance.requestRates = [100];
          }),
        ),
        ...rated,
      ]),
    );
    expect(text).toContain('p99 from schedule (ms)');
    expect(text).toMatch(/5\.0+–7\.0+/);
    expect(text).toMatch(/Details of repeat.*9\.0+–9\.0+\s*3/s);
  });

  it('says where the two tools differ', () => {
    const text = textOf(state);
    expect(text).toContain('The two tools differ at 1 of 1 levels, in Inferences/s.');
    expect(text).toContain(
      'Inferences/s of the built-in load generator is 19.8 % above that of perf_analyzer',
    );
  });

  it('keeps every measurement in the JSON', () => {
    const document = JSON.parse(json.render(input(state)).content) as {
      online: { points: LoadPoint[]; measurements: LoadPoint[] };
    };
    expect(document.online.points.map((point) => point.inferencesPerSecond)).toEqual([121]);
    expect(document.online.measurements).toHaveLength(6);
  });
});

describe('a report of an imported file', () => {
  const [created] = createdBodies();
  if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
  const state = stateOf([
    {
      ...created,
      imported: {
        kind: 'perf-analyzer-csv',
        fileName: 'results.csv',
        sha256: 'a'.repeat(64),
        sizeBytes: 1234,
        notes: ['Batch size 1 is assumed: the file does not contain it.'],
      },
    },
    measured({
      concurrency: 4,
      protocol: null,
      elapsedUs: null,
      requestCount: null,
      serverQueueUs: null,
      avgUs: null,
      gpus: [
        { uuid: 'GPU-a', utilization: 0.33, powerW: 55, maxMemoryBytes: 2 ** 30, totalMemoryBytes: null },
      ],
    }),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const text = textOf(state);

  it('says that it was not measured here, by whom, and what was assumed', () => {
    for (const words of [
      'Imported from results.csv',
      'Not measured here',
      'perf_analyzer, CSV',
      'Batch size 1 is assumed',
      'a'.repeat(64),
    ]) {
      expect(text).toContain(words);
    }
  });

  it('shows nothing of machine, parameters and levels that nobody knows', () => {
    for (const words of [
      'AMD EPYC',
      'Debian',
      'Warm-up',
      'max_batch_size',
      'Offline scenario',
      'was not reached',
    ]) {
      expect(text).not.toContain(words);
    }
    const document = JSON.parse(json.render(input(state)).content) as Record<string, unknown>;
    expect([document['spec'], document['environment']]).toEqual([null, null]);
  });

  it('shows a missing value as missing', () => {
    const [header = [], row = []] = parseCsv(csvOnline.render(input(state)).content);
    const cell = (name: string) => row[header.indexOf(name)];
    expect([cell('Server Queue (ms)'), cell('avg latency (ms)'), cell('Protocol')]).toEqual(['', '', '']);
    expect(cell('p99 latency (ms)')).not.toBe('');
  });

  it('shows the GPUs that the tool saw', () => {
    expect(text).toContain('GPU-a');
    expect(text).toContain('33.0 %');
    expect(text).toMatch(/Mean power \(W\).*33\.0 %55/s);
  });
});
