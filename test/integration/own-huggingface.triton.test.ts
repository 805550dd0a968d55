import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takesAll } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { createTransformersHome } from '../support/component-homes';
import { repository, type TestHome } from '../support/home';

let home: TestHome;
let folder: string;

beforeAll(async () => {
  home = await createTransformersHome();
  folder = join(home.path, 'folders', 'bert-text');
  const script = join(repository, 'scripts', 'huggingface', 'make_folders.py');
  const python = join(home.path, 'transformers', 'bin', 'python');
  await promisify(execFile)(python, [script, join(home.path, 'folders'), 'bert-text'], {
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

if (takesAll) {
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
