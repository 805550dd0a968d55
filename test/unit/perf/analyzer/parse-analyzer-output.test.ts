import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  parseAnalyzerCsv,
  parseAnalyzerSummary,
  parseComposing,
  parsePass,
} from '../../../../main/perf/analyzer/parse-analyzer-output';

const fixture = (name: string) =>
  readFile(join(process.cwd(), 'test', 'fixtures', 'perf-analyzer', name), 'utf8');

const linesOf = async (name: string) => (await fixture(name)).split('\n');

describe("perf_analyzer's models of an ensemble", () => {
  it('are each told once, inner ensembles and their models too', async () => {
    const composing = parseComposing((await fixture('ensemble.txt')).split('\n'));
    expect(composing).toEqual([
      {
        modelName: 'double',
        modelVersion: '1',
        requestCount: 590,
        inferenceCount: 590,
        executionCount: 590,
        queueUs: 56,
        computeInputUs: 21,
        computeInferUs: 352,
        computeOutputUs: 46,
        cacheHitCount: 0,
        cacheMissCount: 0,
      },
      // perf_analyzer does not take the time of an inner ensemble apart.
      expect.objectContaining({
        modelName: 'inner',
        requestCount: 296,
        queueUs: 10_366,
        computeInferUs: null,
      }),
      expect.objectContaining({
        modelName: 'slow',
        requestCount: 296,
        queueUs: 10_310,
        computeInferUs: 11_393,
      }),
    ]);
  });

  it('leave the row of the ensemble itself readable', async () => {
    expect(parseAnalyzerCsv(await fixture('ensemble.csv')).columns).toMatchObject({
      inferencesPerSecond: 81.8577,
      serverComputeInferUs: 12_096,
      p99Us: 35_275,
    });
  });

  it('are none of another model', async () => {
    expect(parseComposing((await fixture('grpc-steady.txt')).split('\n'))).toEqual([]);
  });
});

describe('the CSV', () => {
  it('has the percentile that was asked for', async () => {
    const { columns, percentileUs } = parseAnalyzerCsv(await fixture('percentile-75.csv'), 75);
    expect([percentileUs, columns.p90Us, columns.avgUs]).toEqual([928, 1048, null]);
    expect(parsePass('  Pass [1] throughput: 100.5 infer/sec. p75 latency: 928 usec')).toEqual({
      ...{ index: 0, inferencesPerSecond: 100.5, latencyUs: 928 },
    });
  });

  it('has every column of its one level', async () => {
    expect(parseAnalyzerCsv(await fixture('grpc-steady.csv'))).toEqual({
      loadKind: 'concurrency',
      load: 4,
      columns: {
        inferencesPerSecond: 5611.98,
        clientSendUs: 1,
        networkServerSendRecvUs: 394,
        serverQueueUs: 212,
        serverComputeInputUs: 7,
        serverComputeInferUs: 45,
        serverComputeOutputUs: 45,
        clientRecvUs: 0,
        p50Us: 622,
        p90Us: 761,
        p95Us: 886,
        p99Us: 2831,
        avgUs: 707,
      },
      percentileUs: null,
      responsesPerSecond: null,
    });
  });

  it.each([
    ['no row', (text: string) => `${text.split('\n')[0] ?? ''}\n`, /0 rows/],
    ['two rows', (text: string) => `${text.trim()}\n${text.split('\n')[1] ?? ''}\n`, /2 rows/],
    ['a missing column', (text: string) => text.replace('p99 latency', 'p98 latency'), /"p99 latency"/],
    ['nothing in a column', (text: string) => text.replace(',5611.98,', ',,'), /"Inferences\/Second"/],
    ['NaN', (text: string) => text.replace(',5611.98,', ',-nan,'), /"Inferences\/Second"/],
    ['no throughput', (text: string) => text.replace(',5611.98,', ',0,'), /without throughput/],
  ])('with %s is refused', async (_what, change, message) => {
    const text = change(await fixture('grpc-steady.csv'));
    expect(() => parseAnalyzerCsv(text)).toThrow(message);
  });
});

describe('the output', () => {
  it('tells windows and counts', async () => {
    const lines = await linesOf('grpc-steady.txt');
    expect(lines.flatMap((line) => parsePass(line) ?? [])).toEqual([
      { index: 0, inferencesPerSecond: 3436.27, latencyUs: 1159 },
      { index: 1, inferencesPerSecond: 4840.19, latencyUs: 824 },
      { index: 2, inferencesPerSecond: 6065.98, latencyUs: 653 },
      { index: 3, inferencesPerSecond: 5907.6, latencyUs: 670 },
    ]);
    expect(parseAnalyzerSummary(lines)).toEqual({
      requestCount: 10446,
      inferenceCount: 10450,
      executionCount: 10450,
      sequencesPerSecond: null,
      cache: null,
    });
  });

  it('tells what the response cache of the model did, not that of the models of an ensemble', async () => {
    // As ReportServerSideStats writes it.
    const lines = [
      '    Cache hit count: 270',
      '    Cache miss count: 30',
      '    Successful request count: 300',
      '    Avg request latency: 60 usec (overhead 3 usec + queue 10 usec + cache hit/miss 47 usec)',
      '      Average Cache Hit Latency: 15 usec',
      '      Average Cache Miss Latency: 335 usec (cache lookup/insertion 35 usec + compute input 20 usec + compute infer 250 usec + compute output 30 usec)',
    ];
    expect(parseAnalyzerSummary(lines).cache).toEqual({
      hitCount: 270,
      missCount: 30,
      hitUs: 15,
      missUs: 35,
    });
    const ensemble = await linesOf('ensemble.txt');
    expect(parseAnalyzerSummary(ensemble).cache).toBeNull();
    expect(parseAnalyzerSummary(['    Composing models: ', ...lines]).cache).toBeNull();
    // The times of an ensemble are sums over its models.
    expect(parseAnalyzerSummary([...lines, '  Composing models: ']).cache).toEqual({
      ...{ hitCount: 270, missCount: 30 },
      ...{ hitUs: null, missUs: null },
    });
  });

  it('of a level that did not become steady has windows and no counts', async () => {
    const lines = await linesOf('grpc-unsteady.txt');
    expect(lines.flatMap((line) => parsePass(line) ?? [])).toHaveLength(3);
    expect(parseAnalyzerSummary(lines).requestCount).toBeNull();
  });
});
