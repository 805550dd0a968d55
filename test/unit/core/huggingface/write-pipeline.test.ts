import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openModelSchema } from '../../../../main/contract/run/own-model';
import type { CoreParts } from '../../../../main/core/core-parts';
import { writePipeline } from '../../../../main/core/huggingface/write-pipeline';
import { bertConfig, putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';
import { onnxBytes } from '../../../support/onnx-bytes';
import { pipelineParts } from '../../../support/pipeline-parts';
import { rejection } from '../../../support/rejection';

const bench = useModelBench();
const resources = join(process.cwd(), 'resources');

let parts: CoreParts;
beforeEach(async () => {
  parts = await pipelineParts(bench().dir);
});

const write = async (path: string, more: object = {}) =>
  writePipeline(parts, { path, onProgress: () => undefined, ...more });
const asked = async () =>
  (await readFile(join(bench().dir, 'asked.txt'), 'utf8')).split('\n').filter((line) => line !== '');
const folder = () =>
  putHuggingFace(bench(), { weights: safetensorsBytes({ 'some.weight': { shape: [2] } }) });

it('writes a repository that is trusted and says what it is', async () => {
  const { path, notes } = await write(await folder());
  const models = join(path, '..');
  expect((await readdir(models)).sort()).toEqual([
    'my-bert',
    'my-bert-labels',
    'my-bert-model',
    'my-bert-tokenizer',
  ]);
  expect(await readdir(join(models, 'my-bert-model', '1'))).toEqual(['model.onnx']);
  expect(await readdir(join(models, 'my-bert', '1'))).toEqual([]);
  const step = await readFile(join(models, 'my-bert-labels', '1', 'model.py'), 'utf8');
  expect(step).toBe(await readFile(join(resources, 'huggingface', 'steps', 'labels.py'), 'utf8'));
  expect(await readFile(join(models, '..', 'golden.json'), 'utf8')).toBe('{}\n');
  expect(notes).toEqual([
    'The pipeline my-bert is an ensemble of my-bert-tokenizer, my-bert-model, my-bert-labels; tokenizers 0.1.0 is part of its first step.',
    'Inputs: TEXT, TEXT_PAIR (optional). Texts of more than 64 tokens are cut, and TRUNCATED is true for them, as for 1 text of the reference.',
    'The reference is transformers in fp32 on 23 texts, each without padding: 27 requests, one by one and in batches of mixed lengths.',
    'Ties within the tolerance, whose labels and scores are not compared: 2 texts.',
  ]);
  const { trusted, choice } = await parts.own.handlers['models.open'](openModelSchema.parse({ path }));
  expect([trusted, choice === null]).toEqual([true, false]);
  // Nothing half-written stays.
  expect(await readdir(parts.layout.pipelines)).toHaveLength(1);
});

it('writes a generating model with its weights and tokenizer, without an export', async () => {
  const config = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_positions: 64 };
  const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
  const files = { 'generation_config.json': '{}', 'notes.md': 'mine' };
  const path = await putHuggingFace(bench(), { config, weights, files });
  const written = await write(path);
  expect(written.overrides).toMatchObject({ performance: { protocol: 'grpc' } });
  const version = join(written.path, '1');
  expect((await readdir(version)).sort()).toEqual(['model', 'model.py']);
  const copied = await readdir(join(version, 'model'));
  expect(copied).toEqual(expect.arrayContaining(['config.json', 'generation_config.json', 'tokenizer.json']));
  expect(copied).not.toContain('notes.md');
  expect(await readFile(join(version, 'model', 'model.safetensors'))).toEqual(weights);
  const step = await readFile(join(version, 'model.py'), 'utf8');
  expect(step).toBe(await readFile(join(resources, 'huggingface', 'steps', 'generate.py'), 'utf8'));
  expect((await asked()).map((line) => line.split(' ')[2])).toEqual(['write-pipeline']);
  expect(written.notes).toEqual([
    'The pipeline my-bert is one model in Python with a key-value cache. It needs torch and transformers 5.0.0 where it is served.',
    'Input: text_input. The model takes 64 tokens; a longer prompt is refused.',
    'The reference is transformers in fp32 on 23 prompts, the best token each time: 27 requests, whole and in pieces.',
    'Shortened, so that an answer has room: 12 texts.',
    'Ties within the tolerance, whose answers are not compared: 2 texts.',
  ]);
  expect(await rejection(write(path, { maxBatchSize: 4 }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--max-batch-size' },
    remedy: 'Leave it out. --instances serves several requests at a time.',
  });
});

it('writes a generating model for vLLM’s backend, and no other model', async () => {
  const config = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_positions: 64 };
  const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
  const path = await putHuggingFace(bench(), { config, weights });
  const written = await write(path, { backend: 'vllm' });
  expect(written.path).not.toBe((await write(path)).path);
  const version = join(written.path, '1');
  expect((await readdir(version)).sort()).toEqual(['model', 'model.json']);
  expect(JSON.parse(await readFile(join(version, 'model.json'), 'utf8'))).toMatchObject({
    model: '/models/my-bert/1/model',
  });
  expect(await readFile(join(version, 'model', 'model.safetensors'))).toEqual(weights);
  expect(written.notes[0]).toContain('vLLM’s backend');
  expect(await rejection(write(await folder(), { backend: 'vllm' }))).toMatchObject({
    ...{ code: 'combination-unsupported', remedy: 'Serve it as a pipeline: --serve pipeline.' },
  });
});

it('asks Python once, and again for another folder, batch size or file of texts', async () => {
  const path = await folder();
  const first = await write(path);
  const manifest = join(first.path, '..', '..', 'pipeline.json');
  await utimes(manifest, 1, 1);
  expect(await write(path)).toEqual(first);
  // Its run does not exist yet: a clean-up leaves it as it does a fresh one.
  expect((await stat(manifest)).mtimeMs).toBeGreaterThan(1000);
  const verbs = (lines: readonly string[]) => lines.map((line) => line.split(' ')[2]);
  expect(verbs(await asked())).toEqual(['make-dataset', 'export', 'write-pipeline']);
  const texts = await bench().put('mine.txt', 'a text\n');
  const sixteen = await write(path, { maxBatchSize: 16, texts });
  expect(sixteen.path).not.toBe(first.path);
  const last = (await asked()).at(-1) ?? '';
  for (const words of [
    `--texts ${texts}`,
    '--most-texts 16',
    '--most-tokens 64',
    '--task text-classification',
    '--pairs',
  ]) {
    expect(last).toContain(words);
  }
  await writeFile(join(path, 'config.json'), JSON.stringify({ ...bertConfig, pad_token_id: 1 }));
  await write(path);
  expect(await asked()).toHaveLength(9);
  await write(path, { maxBatchSize: 2 });
  expect((await asked()).at(-1)).toContain('--most-texts 2');
});

it('reads a table again where the same bytes have another ending', async () => {
  const path = await folder();
  const [lines, table] = [
    await bench().put('mine.txt', 'text\na text\n'),
    await bench().put('mine.csv', 'text\na text\n'),
  ];
  const first = await write(path, { texts: lines });
  expect((await write(path, { texts: table })).path).not.toBe(first.path);
});

it('asks for trust where a person has edited what it wrote', async () => {
  const path = await folder();
  const { path: written } = await write(path);
  await writeFile(join(written, '..', 'my-bert-labels', '1', 'model.py'), '# mine\n');
  const again = await write(path);
  const opened = await parts.own.handlers['models.open'](openModelSchema.parse({ path: again.path }));
  expect([again.path, opened.trusted]).toEqual([written, false]);
});

it('leaves nothing behind where Python fails, and refuses what is no such folder', async () => {
  await writeFile(
    join(bench().dir, 'python'),
    `#!/bin/sh\nls ${parts.layout.pipelines} > ${bench().dir}/listed.txt\necho '${JSON.stringify({ type: 'error', code: 'input-invalid', message: 'No padding token' })}'\nexit 1\n`,
  );
  expect((await rejection(write(await folder()))).message).toBe('No padding token');
  // A lease tells a clean-up whether the writer lives.
  const [fresh = '', lease] = (await readFile(join(bench().dir, 'listed.txt'), 'utf8')).split('\n');
  expect([fresh, lease]).toEqual([
    expect.stringMatching(/^my-bert-[0-9a-f]{12}\.[0-9a-f]{8}\.tmp$/),
    `${fresh}.lease`,
  ]);
  expect(await readdir(parts.layout.pipelines)).toEqual([]);
  const file = await bench().put('model.onnx', onnxBytes());
  expect(await rejection(write(file))).toMatchObject({ code: 'input-invalid', where: '--serve' });
});

it('takes images where the model does, and no file of texts', async () => {
  const path = await putHuggingFace(bench(), {
    config: { model_type: 'vit', architectures: ['ViTForImageClassification'], image_size: 32 },
    weights: safetensorsBytes({ 'some.weight': { shape: [2] } }),
    files: { 'preprocessor_config.json': '{"size":32}' },
  });
  const texts = await bench().put('mine.txt', 'a text\n');
  expect(await rejection(write(path, { texts }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--texts', message: 'The pipeline takes images and no texts' },
  });
  const { path: written, notes } = await write(path);
  expect(await readdir(join(written, '..', 'my-bert-images', '1'))).toEqual(['model.py']);
  expect(notes[1]).toBe('Input: IMAGE, an image in PNG or JPEG in each row.');
  const verbs = (await asked()).map((line) => line.split(' ')[2]);
  expect(verbs).toEqual(['make-dataset', 'export', 'write-media-pipeline']);
  // A folder of them: read again only where one of its files is another.
  const one = await bench().put('mine/cat/a.png', 'a');
  const samples = join(bench().dir, 'mine');
  const own = await write(path, { samples });
  expect((await asked()).at(-1)).toContain(`--samples ${samples}`);
  expect(own.path).not.toBe(written);
  expect(own.notes[2]).toContain('on 18 images: 24 requests');
  expect((await write(path, { samples })).path).toBe(own.path);
  await writeFile(one, 'other');
  expect((await write(path, { samples })).path).not.toBe(own.path);
});

it('refuses samples of another pipeline, and what is not a folder', async () => {
  const refused = await rejection(write(await folder(), { samples: bench().dir }));
  expect(refused).toMatchObject({
    ...{
      code: 'input-invalid',
      where: '--samples',
      remedy: 'Give a file of texts in its place: --texts FILE.',
    },
  });
});

it('writes a speech model with its weights, tokenizer and processor, without an export', async () => {
  const path = await putHuggingFace(bench(), {
    config: { model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] },
    weights: safetensorsBytes({ 'some.weight': { shape: [2] } }),
    files: { 'preprocessor_config.json': '{}', 'generation_config.json': '{}' },
  });
  const written = await write(path);
  // One response per request: what a run asks with is left as it is.
  expect(Object.keys(written.overrides['performance'] as object)).toEqual(['inputData', 'inputDataFile']);
  const version = join(written.path, '1');
  expect((await readdir(version)).sort()).toEqual(['model', 'model.py', 'wav.py']);
  expect(await readdir(join(version, 'model'))).toEqual(
    expect.arrayContaining(['generation_config.json', 'preprocessor_config.json', 'tokenizer.json']),
  );
  for (const [code, file] of [
    ['speech.py', 'model.py'],
    ['wav.py', 'wav.py'],
  ] as const) {
    const step = await readFile(join(resources, 'huggingface', 'steps', code), 'utf8');
    expect(await readFile(join(version, file), 'utf8')).toBe(step);
  }
  const [line = ''] = await asked();
  expect(line.split(' ')[2]).toBe('write-media-pipeline');
  expect(line).not.toContain('--first');
  expect(written.notes).toEqual([
    'The pipeline my-bert is one model in Python with a key-value cache. It needs torch and transformers 5.0.0 where it is served.',
    'Inputs: AUDIO, LANGUAGE (optional). AUDIO is a recording as WAV of up to 30 seconds; a longer one is refused.',
    'The reference is transformers in fp32 on 18 recordings that the workbench made, the best token each time: 24 requests.',
    'Recordings whose text is empty: 1.',
  ]);
  const samples = bench().dir;
  expect((await write(path, { samples })).notes[2]).toContain('on 18 recordings, the best token');
  expect((await asked()).at(-1)).toContain(`--samples ${samples}`);
  expect(await rejection(write(path, { maxBatchSize: 4 }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--max-batch-size' },
    message: 'A generating model takes one recording per request',
  });
});
