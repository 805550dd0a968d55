import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFolder } from '../../main/store/run-folder';
import { parseConfigPbtxt } from '../../main/triton/config/config-pbtxt';
import { takesAll } from '../support/campaign';
import { cli, documentOf, type RunDocument } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { makeModels } from '../support/made-models';

let home: TestHome;
let models: string;
beforeAll(async () => {
  home = await createTestHome();
  models = await makeModels(home.path, join(home.path, 'models'));
});
afterAll(() => home.remove());

const short = [
  ...['--profile', 'quick', '--json', '--concurrency', '2', '--measurement-interval-ms', '300'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
];

async function report(path: string, ...flags: readonly string[]): Promise<RunDocument> {
  const result = await cli(home.path, 'run', join(models, path), ...short, ...flags);
  expect(result.stderr).not.toContain('✗');
  expect(result.code).toBe(0);
  const document = documentOf(result);
  expect(document.accuracy?.passed).toBe(true);
  for (const output of document.accuracy?.outputs ?? []) expect(output.vacuous, output.output).toBe(false);
  for (const point of [...document.offline, ...document.online]) {
    expect(point.errorCount).toBe(0);
    expect(point.inferencesPerSecond).toBeGreaterThan(0);
  }
  return document;
}

const configOf = async ({ dir }: RunDocument, name: string) =>
  parseConfigPbtxt(await readFile(join(runFolder(dir).repository, name, 'config.pbtxt'), 'utf8'));

it('an ONNX model of a repository goes to a report with the settings of its config.pbtxt', async () => {
  const document = await report('repository/normed', '--rewrite');
  expect(document.offline.map(({ batchSize }) => batchSize)).toEqual([1, 2, 4]);
  // Compared at each of them, and by requests at once of which the batcher has made a batch.
  const batches = document.accuracy?.batches ?? [];
  expect(batches.map(({ batchSize }) => batchSize)).toEqual([1, 2, 4, 1]);
  expect(batches.at(-1)?.gathered?.at(-1)).toBeGreaterThan(1);
  expect(document.accuracy?.warnings).toEqual([]);
  const markdown = await readFile(join(document.dir, 'results', 'report.md'), 'utf8');
  expect(markdown).toContain('| batch size 2 |');
  expect(await configOf(document, 'normed')).toMatchObject({
    maxBatchSize: 4,
    dynamicBatching: { preferredBatchSize: [2, 4] },
    instanceGroup: [{ count: 2 }],
    versionPolicy: { specific: { versions: [3] } },
  });
});

if (takesAll) {
  it('a TorchScript model of a repository keeps the names that its clients use', async () => {
    const document = await report('repository/mixer', '--rewrite', '--trust');
    const { input, output, dynamicBatching } = await configOf(document, 'mixer');
    expect(input.map(({ name, dataType }) => [name, dataType])).toEqual([
      ['INPUT__0', 'TYPE_FP32'],
      ['INPUT__1', 'TYPE_INT64'],
    ]);
    expect(output.map(({ name, dims }) => [name, dims])).toEqual([
      ['TOTAL__0', [1]],
      ['MASKED__1', [5]],
    ]);
    expect(dynamicBatching).toBeUndefined();
  });
}

/** What each load tool did at each level. */
const both = ['--set', 'performance.crossCheck=true', '--batch-sizes', '1'];

it('a stateful model of a repository is asked and measured in sequences, by both load tools', async () => {
  const document = await report('repository/counted', '--rewrite', ...both);
  expect((await configOf(document, 'counted'))['sequenceBatching']).toMatchObject({
    maxSequenceIdleMicroseconds: 60_000_000,
    oldest: { maxCandidateSequences: 4 },
  });
  const points = [...document.offline, ...document.online];
  expect(points.length).toBeGreaterThan(0);
  for (const { sequences } of points) {
    expect(sequences).toMatchObject({ length: 20 });
    expect(sequences?.endedPerSecond).toBeGreaterThan(0);
  }
});

it('a decoupled model of a repository is asked and measured over a stream, by both load tools', async () => {
  const document = await report('repository/streamed', '--rewrite', '--trust', ...both);
  expect((await configOf(document, 'streamed'))['modelTransactionPolicy']).toEqual({ decoupled: true });
  const points = [...document.offline, ...document.online];
  expect(points.length).toBeGreaterThan(0);
  for (const { streaming } of points) {
    expect(streaming).toMatchObject({ decoupled: true, responsesPerRequest: 1 });
  }
});

if (takesAll) {
  it('an ONNX file as fp16 computes what the file says, its epsilons too', async () => {
    const document = await report('norms.onnx', '--precision', 'fp16', '--batch-sizes', '1');
    const [output] = document.accuracy?.outputs ?? [];
    // Of values up to 4; with the fusion of ONNX Runtime that is left out, a half and more.
    expect(output?.maxAbsDiff).toBeLessThan(0.02);
  });
}
