import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawnLengths } from '../../main/domain/run/length-distribution';
import { takesAll } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { createTransformersHome } from '../support/component-homes';
import { repository, type TestHome } from '../support/home';

/** Folders with the outputs of their pipelines: text, images, and text that is generated. */
const few = ['--batch-sizes', '1', '--measurement-interval-ms', '300'];
const pipelines = [
  ['minilm-sentences', ['EMBEDDING', 'TRUNCATED'], few],
  ['vit', ['LABEL', 'SCORE'], few],
  ['gpt2', ['text_output'], ['--measurement-interval-ms', '1000']],
] as const;

let home: TestHome;
let folder: string;

const folderOf = (name: string): string => join(home.path, 'folders', name);

beforeAll(async () => {
  home = await createTransformersHome();
  folder = folderOf('bert-text');
  const script = join(repository, 'scripts', 'huggingface', 'make_folders.py');
  const python = join(home.path, 'transformers', 'bin', 'python');
  const texts = join(repository, 'resources', 'huggingface', 'texts.txt');
  const names = ['bert-text', ...pipelines.map(([name]) => name)];
  await promisify(execFile)(python, [script, '--texts', texts, join(home.path, 'folders'), ...names], {
    env: { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' },
  });
}, 300_000);
afterAll(() => home.remove());

const quick = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1,4', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

it('goes to a report, compared with transformers alone and in padded batches', async () => {
  const result = await cli(home.path, 'run', folder, ...quick);
  expect(result.stderr).toContain('BERT for text classification (BertForSequenceClassification)');
  expect(result.stderr).not.toContain('✗');
  const document = documentOf(result);
  expect([result.code, document.accuracy?.passed]).toEqual([0, true]);
  expect(document.accuracy?.outputs.map(({ output }) => output)).toEqual(['logits']);
  expect(document.accuracy?.batches?.map(({ batchSize }) => batchSize)).toContain(8);
  expect(document.environment?.packages).toHaveProperty('transformers');
  expect(document.offline.length).toBeGreaterThan(0);
});

it.each(pipelines)(
  '%s goes to a report as a pipeline, compared with that of transformers',
  async (name, outputs, levels) => {
    const load = ['--profile', 'quick', '--concurrency', '1', ...levels];
    const settings = ['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'];
    const result = await cli(
      home.path,
      ...['run', folderOf(name), '--serve', 'pipeline', '--json', ...load, ...settings],
    );
    const document = documentOf(result);
    expect([result.code, document.accuracy?.passed], result.stderr).toEqual([0, true]);
    const compared = document.accuracy?.outputs.map(({ output }) => output) ?? [];
    expect([...compared].sort()).toEqual([...outputs].sort());
    expect(document.online.length).toBeGreaterThan(0);
  },
);

/** Of batches of four samples in turn. */
function paddingOf(lengths: readonly number[]): number {
  const batches = Array.from({ length: lengths.length / 4 }, (_unused, at) =>
    lengths.slice(4 * at, 4 * at + 4),
  );
  const sent = batches.reduce((sum, batch) => sum + 4 * Math.max(...batch), 0);
  return 1 - lengths.reduce((sum, length) => sum + length, 0) / sent;
}

it('sends texts of the lengths that are asked for, and says how much of a batch is padding', async () => {
  const result = await cli(home.path, 'run', folder, ...quick, '--length-distribution', '8,16,32');
  const document = documentOf(result);
  expect(result.code).toBe(0);
  const facts = document.steps.find(({ id }) => id === 'profile-data')?.facts;
  expect(facts).toContainEqual({ name: 'Lengths', value: '1 to 32, 8 at p50, 16 at p95 (100 samples)' });
  const { drawn } = drawnLengths([8, 16, 32]);
  const [alone, batched] = document.offline;
  expect([alone?.batchSize, alone?.paddingShare]).toEqual([1, undefined]);
  expect(batched?.batchSize).toBe(4);
  expect(batched?.paddingShare).toBeCloseTo(paddingOf(drawn), 1);
  const tooLong = await cli(home.path, 'run', folder, ...quick, '--length-distribution', '8,16,4096');
  expect(tooLong.code).not.toBe(0);
  expect(tooLong.stderr).toContain('longer than the maximum of the model');
});

if (takesAll) {
  it('is measured at each of several lengths, in one table', async () => {
    const result = await cli(home.path, 'run', folder, ...quick, '--length-buckets', '8,32');
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('By length:');
    const { byLength } = JSON.parse(result.stdout) as { byLength: { lengths: string; scenario: string }[] };
    expect(byLength.filter(({ scenario }) => scenario === 'offline').map(({ lengths }) => lengths)).toEqual([
      ...['8', '32', '8', '32'],
    ]);
  });

  it('without the weights of its head it is not served with random ones', async () => {
    const config = join(folder, 'config.json');
    const text = await readFile(config, 'utf8');
    await writeFile(config, text.replace('ForSequenceClassification', 'ForTokenClassification'));
    const renamed = await cli(home.path, 'run', folder, ...quick);
    // The same head by name and shape: it is another task, and no weight is missing.
    expect(documentOf(renamed).accuracy?.outputs.map(({ output }) => output)).toEqual(['logits']);
    await writeFile(config, text.replace('ForSequenceClassification', 'ForMaskedLM'));
    const result = await cli(home.path, 'run', folder, ...quick);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(/The weights lack .*, which would be random numbers/);
    await writeFile(config, text);
  });
}
