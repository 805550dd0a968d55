import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/results';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, documentOf } from '../support/cli';
import type { RunDocument } from '../support/cli';
import { createTestHome } from '../support/home';
import type { TestHome } from '../support/home';
import { parseCsv } from '../support/parse-csv';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const short = [
  '--set',
  'performance.maxTrials=3',
  '--set',
  'performance.warmupMs=200',
  '--measurement-interval-ms',
  '300',
];
const quick = ['run', 'resnet50', '--profile', 'quick', '--json', ...short];

function metric(document: RunDocument, name: string) {
  const found = document.accuracy?.metrics.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found;
}

async function journalPoints(document: RunDocument, scenario: string): Promise<LoadPoint[]> {
  const { entries } = await readJournal(runFolder(document.dir).journal);
  return entries.flatMap((entry) =>
    entry.type === 'measurement' && entry.scenario === scenario ? [entry.point] : [],
  );
}

describe('run resnet50 --profile quick on the real Triton', () => {
  let first: RunDocument;

  it('goes from model code to a report', async () => {
    const result = await cli(home.path, ...quick, '--batch-sizes', '1,2', '--concurrency', '1,2');
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    first = documentOf(result);
    expect(first.status).toBe('done');
    expect(first.accuracy?.passed).toBe(true);
    expect(metric(first, 'top1').framework).toBeGreaterThanOrEqual(0.9);
    expect(metric(first, 'top1').triton).toBeGreaterThanOrEqual(0.9);
    expect(first.accuracy?.outputs[0]?.maxAbsDiff).toBeLessThan(1e-3);
    expect(first.offline.map((point) => point.batchSize)).toEqual([1, 2]);
    expect(first.online.map((point) => point.concurrency)).toEqual([1, 2]);
    for (const point of [...first.offline, ...first.online]) {
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      expect(point.requestCount).toBeGreaterThan(0);
      expect(point.errorCount).toBe(0);
      expect(point.serverComputeInferUs).toBeGreaterThan(0);
      expect(point.p99Us).toBeGreaterThanOrEqual(point.p50Us);
    }
  });

  it('reports exactly what the journal holds', async () => {
    const file = (kind: string) => first.reports.find((report) => report.kind === kind)?.path ?? '';
    expect((await readFile(file('pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    for (const scenario of ['offline', 'online'] as const) {
      const points = await journalPoints(first, scenario);
      expect(points).toEqual(first[scenario]);
      const [header, ...rows] = parseCsv(await readFile(file(`csv-${scenario}`), 'utf8'));
      const column = (name: string) => rows.map((row) => Number(row[header?.indexOf(name) ?? -1]));
      const rounded = (values: readonly (number | null)[]) =>
        values.map((value) => Number(((value ?? NaN) / 1000).toFixed(3)));
      expect(column('p99 latency (ms)')).toEqual(rounded(points.map((point) => point.p99Us)));
      expect(column('avg latency (ms)')).toEqual(rounded(points.map((point) => point.avgUs)));
      expect(column('Batch')).toEqual(points.map((point) => point.batchSize));
    }
  });

  it('repeats nothing when a finished run is resumed', async () => {
    const before = await journalPoints(first, 'offline');
    const result = await cli(home.path, 'resume', first.runId, '--json');
    expect(result.code).toBe(0);
    const again = documentOf(result);
    expect(again.steps.filter((step) => step.skippedBecause === 'unchanged')).toHaveLength(9);
    expect(await journalPoints(again, 'offline')).toEqual(before);
    expect(again.offline).toEqual(first.offline);
  });

  it.each([
    ['ts-trace', 'fp32', 'native', 'http'],
    ['ts-script', 'fp32', 'perf_analyzer', 'grpc'],
    ['onnx', 'fp16', 'native', 'grpc'],
    ['ts-trace', 'fp16', 'native', 'grpc'],
  ])('%s %s measured by %s over %s', async (format, precision, tool, protocol) => {
    const result = await cli(
      home.path,
      ...quick,
      ...['--format', format, '--precision', precision, '--load-tool', tool, '--protocol', protocol],
      ...['--batch-sizes', '2', '--concurrency', '2', '--measurement-interval-ms', '1000'],
    );
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(metric(document, 'top1').triton).toBeGreaterThanOrEqual(0.9);
    expect(metric(document, 'top1').framework).toBeGreaterThanOrEqual(0.9);
    const difference = document.accuracy?.outputs[0]?.maxAbsDiff;
    if (precision === 'fp16') expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThan(1);
    const points = [...document.offline, ...document.online];
    expect(points).toHaveLength(2);
    for (const point of points) {
      expect(point).toMatchObject({ loadTool: tool, protocol, errorCount: 0 });
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      expect(point.serverComputeInferUs).toBeGreaterThan(0);
    }
    // The data set and the weights are those of the first run.
    expect(document.steps[0]?.skippedBecause).toBe('cached');
  });

  it('forms batches in Triton when many requests wait', async () => {
    const result = await cli(
      home.path,
      ...quick,
      ...['--batch-sizes', '1', '--concurrency', '16', '--max-queue-delay-us', '2000'],
    );
    expect(result.code).toBe(0);
    expect(documentOf(result).online[0]?.meanServerBatch).toBeGreaterThan(1.5);
  });
});
