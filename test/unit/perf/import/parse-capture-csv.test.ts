import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { loadPointSchema } from '../../../../main/contract/measured/results';
import { parseCaptureCsv } from '../../../../main/perf/import/parse-capture-csv';

const fixture = (name: string) =>
  readFileSync(join(process.cwd(), 'test', 'fixtures', 'perf-analyzer', name), 'utf8');
const parse = (text: string, batchSize = 1) => parseCaptureCsv(text, { fileName: 'results.csv', batchSize });
function refusal(text: string): WorkbenchError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('a CSV file of perf_analyzer', () => {
  it.each([
    ['concurrency-plain.csv', [1, 2, 3]],
    ['concurrency-verbose.csv', [1, 2]],
    ['concurrency-metrics.csv', [1, 2]],
    ['percentile-75.csv', [2]],
    ['grpc-steady.csv', [4]],
  ])('%s gives every level', (name, concurrency) => {
    const { points } = parse(fixture(name));
    expect(points.map((point) => point.concurrency)).toEqual(concurrency);
    for (const point of points) {
      expect(loadPointSchema.safeParse(point).error).toBeUndefined();
      expect(point).toMatchObject({ loadTool: 'perf_analyzer', protocol: null, requestCount: null });
      expect(point.requestRate).toBeUndefined();
    }
  });

  it('is taken value by value', () => {
    const [first] = parse(fixture('concurrency-verbose.csv'), 2).points;
    expect(first).toMatchObject({
      batchSize: 2,
      concurrency: 1,
      inferencesPerSecond: 3635.61,
      clientSendUs: 3,
      networkServerSendRecvUs: 211,
      serverQueueUs: 30,
      serverComputeInputUs: 17,
      serverComputeInferUs: 132,
      serverComputeOutputUs: 148,
      clientRecvUs: 1,
      p50Us: 504,
      p90Us: 610,
      p95Us: 659,
      p99Us: 1239,
      avgUs: 545,
    });
  });

  it('by request rate has rates, and no concurrency of its own', () => {
    expect(parse(fixture('request-rate.csv')).points.map((point) => point.requestRate)).toEqual([20, 40]);
  });

  it('without the verbose columns has no mean, and says so', () => {
    const { points, notes } = parse(fixture('concurrency-plain.csv'));
    expect(points.map((point) => point.avgUs)).toEqual([null, null, null]);
    expect(notes).toEqual(['The file has no Avg latency.']);
  });

  it('with a percentile of its own says that this is not taken', () => {
    expect(parse(fixture('percentile-75.csv')).notes).toContain('Not imported: p75 latency.');
  });

  it('has no GPUs where their columns are empty', () => {
    expect(parse(fixture('concurrency-metrics.csv')).points[0]?.gpus).toBeUndefined();
  });

  // As perf_analyzer's guide shows the columns: one value a GPU, a semicolon behind each, a comma behind the last column.
  it('has the GPUs of the server by their ids', () => {
    const [header = '', row = ''] = fixture('concurrency-metrics.csv').split('\n');
    const gpus =
      'GPU-a:0.33;GPU-b:0.5;,GPU-a:55.3;GPU-b:56.9;,GPU-a:10000;GPU-b:11000;,GPU-a:50000;GPU-b:75000;,';
    const text = `${header}\n${row.replace(/,,,,$/, `,${gpus}`)}\n`;
    expect(parse(text).points[0]?.gpus).toEqual([
      { uuid: 'GPU-a', utilization: 0.33, powerW: 55.3, maxMemoryBytes: 10000, totalMemoryBytes: 50000 },
      { uuid: 'GPU-b', utilization: 0.5, powerW: 56.9, maxMemoryBytes: 11000, totalMemoryBytes: 75000 },
    ]);
  });

  it('may come with the line ends of Windows and a byte order mark', () => {
    const text = fixture('concurrency-plain.csv');
    expect(parse(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parse(text));
  });
});

describe('a file that is not one of perf_analyzer', () => {
  const good = fixture('concurrency-plain.csv');
  it.each([
    [
      'a text without a header',
      'hello\nworld\n',
      /"Concurrency" and "Request Rate" are both missing/,
      'results.csv, line 1',
    ],
    [
      'a table of results',
      '"Batch","Concurrency","Inferences/Second","p99 latency (ms)"\n'.replaceAll('"', ''),
      /in milliseconds/,
      'results.csv, line 1',
    ],
    ['a column less', good.replaceAll(/,p99 latency/g, ''), /no column "p99 latency"/, 'results.csv, line 1'],
    [
      'a column twice',
      good.replace('Client Recv', 'Client Send'),
      /"Client Send" appears twice/,
      'results.csv, line 1',
    ],
    ['no rows', `${good.split('\n')[0] ?? ''}\n`, /no level/, 'results.csv, line 2'],
    ['a row cut off', good.slice(0, good.lastIndexOf(',')), /values for 13 columns/, 'results.csv, line 4'],
    ['a row too long', good.replace(/\n$/, ',7\n'), /values for 13 columns/, 'results.csv, line 4'],
    [
      'a value that is no number',
      good.replace('1368.49', 'fast'),
      /"fast" is not a number/,
      'results.csv, line 2, column "Inferences/Second"',
    ],
    [
      'a level twice',
      good.replace('\n2,', '\n1,'),
      /1 is already in line 2/,
      'results.csv, line 3, column "Concurrency"',
    ],
    [
      'half a concurrency',
      good.replace('\n2,', '\n1.5,'),
      /1.5 is not a concurrency/,
      'results.csv, line 3, column "Concurrency"',
    ],
  ])('%s is refused with its place', (_name, text, message, where) => {
    const error = refusal(text);
    expect(error.code).toBe('input-invalid');
    expect(error.message).toMatch(message);
    expect(error.where).toBe(where);
  });

  it('a value of a GPU that cannot be read is refused with its column', () => {
    const [header = '', row = ''] = fixture('concurrency-metrics.csv').split('\n');
    const error = refusal(`${header}\n${row.replace(/,,,,$/, ',GPU-a=1;,,,')}\n`);
    expect(error.where).toBe('results.csv, line 2, column "Avg GPU Utilization"');
  });
});

describe('a CSV file of the published scripts', () => {
  const [header = '', row = ''] = fixture('concurrency-plain.csv').split('\n');
  const withBatch = (batch: number, concurrency: number) =>
    `${batch},${row.trim().replace(/^\d+/, String(concurrency))},123`;
  const head = `Batch,${header.trim()},avg latency`;

  it('says the batch sizes itself, with the header again before each sweep', () => {
    const text = [head, withBatch(1, 1), withBatch(1, 2), head, withBatch(16, 1), withBatch(16, 2), ''].join(
      '\n',
    );
    const { points, saysBatch, notes } = parse(text, 4);
    expect(saysBatch).toBe(true);
    expect(points.map(({ batchSize, concurrency }) => [batchSize, concurrency])).toEqual([
      [1, 1],
      [1, 2],
      [16, 1],
      [16, 2],
    ]);
    // Theirs is a sum of columns, and no measured mean.
    expect(points.every(({ avgUs }) => avgUs === null)).toBe(true);
    expect(notes.join(' ')).not.toContain('Batch');
  });

  it('has each level once, and batch sizes that are some', () => {
    expect(refusal([head, withBatch(2, 1), withBatch(2, 1)].join('\n')).message).toContain(
      'already in line 2',
    );
    expect(refusal([head, withBatch(0, 1)].join('\n')).message).toContain('not a batch size');
  });
});
