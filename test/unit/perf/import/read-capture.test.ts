import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCapture } from '../../../../main/perf/import/read-capture';
import { rejection } from '../../../support/rejection';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'read-capture-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function put(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

const levels = 'Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec),p99 Latency (ms)\n';
const inference = () =>
  put('metrics-model-inference.csv', `${levels}a b,1,1,a_config_0,10,3.5\na b,1,1,a_config_1,12,3.5\n`);
const gpu = () =>
  put(
    'metrics-model-gpu.csv',
    'Model,GPU UUID,Batch,Concurrency,Model Config Path,GPU Memory Usage (MB)\na b,GPU-1,1,1,a_config_1,7\n',
  );
const server = () =>
  put('metrics-server-only.csv', 'Model,GPU UUID,GPU Memory Usage (MB)\ntriton-server,GPU-1,5\n');

describe('the files of one profile of Model Analyzer', () => {
  it('are one run per configuration, in whatever order they are given', async () => {
    const [first, second, ...more] = await readCapture({
      path: await server(),
      beside: [await gpu(), await inference()],
      batchSize: 4,
    });
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      source: { kind: 'model-analyzer-csv', fileName: 'metrics-model-inference.csv' },
      model: 'a-b',
      configuration: 'a_config_0',
    });
    expect(second?.points[0]?.gpus).toMatchObject([{ uuid: 'GPU-1', maxMemoryBytes: 7e6 }]);
    expect(second?.source.notes).toContain('Batch size 4 from the import was ignored: the file contains it.');
  });

  it('are refused without the one of the levels, twice, or with one of something else', async () => {
    expect((await rejection(readCapture({ path: await gpu() }))).message).toBe(
      'The file has GPU figures and no levels',
    );
    const path = await inference();
    expect((await rejection(readCapture({ path, beside: [path] }))).message).toContain('given twice');
    const other = await put('other.csv', 'Concurrency,Inferences/Second\n1,2\n');
    expect(await rejection(readCapture({ path, beside: [other] }))).toMatchObject({
      message: 'Not a file of Model Analyzer',
      where: 'other.csv',
    });
  });
});
