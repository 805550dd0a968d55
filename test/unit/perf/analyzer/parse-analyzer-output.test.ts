import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAnalyzerCsv } from '../../../../main/perf/analyzer/parse-analyzer-csv';
import { parseComposing } from '../../../../main/perf/analyzer/parse-analyzer-output';

const fixture = (name: string) =>
  readFile(join(process.cwd(), 'test', 'fixtures', 'perf-analyzer', name), 'utf8');

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
