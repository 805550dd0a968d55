import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../main/contract/measured/results';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { pointsCsv } from '../../../main/reports/csv';
import { csvAccuracy, csvOffline, csvOnline } from '../../../main/reports/csv.exporter';
import { toReport } from '../../../main/reports/to-report';
import { parseCsv, parseCsvRows } from '../../support/parse-csv';
import {
  accuracyBody,
  completeState,
  createdBodies,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
} from '../../support/run-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };

const onlineOf = (bodies: readonly JournalBody[]) => {
  const state = stateOf(bodies);
  return csvOnline.render({ state, report: toReport(state, context) }).content;
};

const msColumns: readonly (readonly [string, (point: LoadPoint) => number | null])[] = [
  ['Client Send (ms)', (point) => point.clientSendUs],
  ['Network+Server Send/Recv (ms)', (point) => point.networkServerSendRecvUs],
  ['Server Queue (ms)', (point) => point.serverQueueUs],
  ['Server Compute Input (ms)', (point) => point.serverComputeInputUs],
  ['Server Compute Infer (ms)', (point) => point.serverComputeInferUs],
  ['Server Compute Output (ms)', (point) => point.serverComputeOutputUs],
  ['Client Recv (ms)', (point) => point.clientRecvUs],
  ['p50 latency (ms)', (point) => point.p50Us],
  ['p90 latency (ms)', (point) => point.p90Us],
  ['p95 latency (ms)', (point) => point.p95Us],
  ['p99 latency (ms)', (point) => point.p99Us],
  ['avg latency (ms)', (point) => point.avgUs],
];

it('has the share of padding where requests are padded, and else no value', () => {
  const points = [pointFixture({ batchSize: 1 }), pointFixture({ batchSize: 4, paddingShare: 0.25 })];
  const [header = [], ...rows] = parseCsv(pointsCsv(points));
  expect(rows.map((row) => row[header.indexOf('Padding')])).toEqual(['', '0.25']);
  expect(parseCsv(pointsCsv(points.slice(0, 1)))[0]).not.toContain('Padding');
});

describe('the CSV of a scenario', () => {
  it("begins with the seeds' columns in the seeds' order", () => {
    const [header] = parseCsv(onlineOf(createdBodies()));
    expect(header).toEqual([
      'Batch',
      'Concurrency',
      'Inferences/Second',
      ...msColumns.map(([heading]) => heading),
      'Request Count',
      'Error Count',
      'Steady',
      'Flags',
      'Load Tool',
      'Protocol',
      'Accuracy',
      'Answer',
    ]);
  });

  it('holds every measured value to the microsecond, in load order', () => {
    const us = fc.double({ min: 0, max: 6e8, noNaN: true });
    const measured = fc.record({
      concurrency: fc.integer({ min: 1, max: 512 }),
      inferencesPerSecond: fc.double({ min: 0, max: 1e7, noNaN: true }),
      serverQueueUs: us,
      p50Us: us,
      p99Us: us,
      avgUs: us,
      requestCount: fc.option(fc.integer({ min: 0, max: 1e6 })),
    });
    const sweeps = fc.uniqueArray(measured, {
      minLength: 1,
      maxLength: 12,
      selector: (level) => level.concurrency,
    });
    fc.assert(
      fc.property(sweeps, (levels) => {
        const points = levels.map((level) => pointFixture(level));
        const spec = specFixture((value) => {
          value.performance.concurrency = levels.map(({ concurrency }) => concurrency);
        });
        const rows = parseCsvRows(
          onlineOf([...createdBodies(spec), ...points.map((point) => measurementBody('online', point))]),
        );
        const sorted = [...points].sort((a, b) => a.concurrency - b.concurrency);
        expect(rows.map((row) => Number(row['Concurrency']))).toEqual(
          sorted.map((point) => point.concurrency),
        );
        sorted.forEach((point, index) => {
          const row = rows[index] ?? {};
          for (const [heading, read] of msColumns) {
            expect(Math.abs(Number(row[heading]) * 1000 - (read(point) ?? NaN))).toBeLessThanOrEqual(
              0.5 + 1e-4,
            );
          }
          const relative = Math.abs(Number(row['Inferences/Second']) - point.inferencesPerSecond);
          expect(relative).toBeLessThanOrEqual(point.inferencesPerSecond * 1e-8);
          expect(row['Request Count']).toBe(point.requestCount === null ? '' : String(point.requestCount));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('equals the journal exactly where the tool gives whole microseconds', () => {
    const point = pointFixture({ p99Us: 18_234, avgUs: 12_001, serverQueueUs: 7, clientRecvUs: 0 });
    const [row] = parseCsvRows(onlineOf([...createdBodies(), measurementBody('online', point)]));
    expect(row).toMatchObject({
      'p99 latency (ms)': '18.234',
      'avg latency (ms)': '12.001',
      'Server Queue (ms)': '0.007',
      'Client Recv (ms)': '0',
    });
  });

  it('marks unsteady levels and keeps holes as rows without numbers', () => {
    const state = completeState();
    const report = toReport(state, context);
    const offline = parseCsvRows(csvOffline.render({ state, report }).content);
    expect(offline.map((row) => [row['Batch'], row['Steady'], row['Flags']])).toEqual([
      ['1', 'yes', ''],
      ['2', 'yes', ''],
      ['4', 'yes', ''],
      ['8', 'no', 'not steady'],
      ['16', 'yes', ''],
    ]);
    const online = parseCsvRows(csvOnline.render({ state, report }).content);
    expect(online.map((row) => row['Concurrency'])).toEqual(['1', '2', '4', '8', '16', '32', '64']);
    expect(online[5]).toMatchObject({
      Batch: '1',
      'Inferences/Second': '',
      'p99 latency (ms)': '',
      Flags: 'missing: load-tool-failed',
    });
  });

  it.each([
    ['verified (outputs and metric)', accuracyBody()],
    ['failed', accuracyBody({ passed: false, reasons: ['top1 is too low'] })],
  ])('says %s in every row', (word, accuracy) => {
    const rows = parseCsvRows(
      onlineOf([
        ...createdBodies(),
        ...preparationBodies(accuracy),
        measurementBody('online', pointFixture()),
      ]),
    );
    expect(rows[0]?.['Accuracy']).toBe(word);
  });
});

describe('the CSV of the accuracy gate', () => {
  it('has a row a metric and a row an output, missing values empty', () => {
    const state = stateOf([
      ...createdBodies(),
      accuracyBody({
        metrics: [{ name: '=top1', framework: 0.97, triton: 0.96, threshold: null, passed: true }],
      }),
    ]);
    const rows = parseCsvRows(csvAccuracy.render({ state, report: toReport(state, context) }).content);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      Kind: 'metric',
      Name: "'=top1",
      Framework: '0.97',
      Triton: '0.96',
      Difference: '-0.01',
      Threshold: '',
      'Max Abs Difference': '',
      Passed: 'yes',
    });
    expect(rows[1]).toMatchObject({
      Kind: 'output',
      Name: 'OUTPUT__0',
      'Max Abs Difference': '0.00413',
      'NaN Count': '0',
      'Worst Sample': 'class_07/00031.jpg',
      'Vacuous Tolerance': 'no',
    });
  });

  it('is a header alone when the gate was not run', () => {
    const state = stateOf(createdBodies());
    expect(parseCsv(csvAccuracy.render({ state, report: toReport(state, context) }).content)).toHaveLength(1);
  });
});

describe('pointsCsv', () => {
  const { offline, online } = completeState().scenarios;
  const points = online.points.map(({ point }) => point);

  it('has the columns and values of a run’s file, without what only a run has', () => {
    const [header = [], ...rows] = parseCsv(pointsCsv(points));
    expect(rows).toHaveLength(points.length);
    expect(header).toContain('Inferences/Second');
    expect(header).not.toContain('Accuracy');
    const at = header.indexOf('Inferences/Second');
    rows.forEach((row, index) => {
      expect(Number(row[at])).toBeCloseTo(points[index]?.inferencesPerSecond ?? NaN, 5);
    });
  });

  it('names the model where several were measured at once', () => {
    const both = ['a', 'b'].map((model) => ({ ...points[0], model }) as LoadPoint);
    const [header = [], ...rows] = parseCsv(pointsCsv(both));
    expect(header[0]).toBe('Model');
    expect(rows.map(([model]) => model)).toEqual(['a', 'b']);
    expect(parseCsv(pointsCsv(offline.points.map(({ point }) => point)))[0]).not.toContain('Model');
  });
});
