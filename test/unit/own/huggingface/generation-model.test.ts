import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  copyGenerationFiles,
  generationConfig,
  speechConfig,
  vllmArguments,
} from '../../../../main/own/huggingface/generation-model';
import { checkRepositories } from '../../../../main/own/repository/check-repository';
import { parseConfigPbtxt } from '../../../../main/triton/config/config-pbtxt';
import { traitsOf } from '../../../../main/triton/model-traits';
import { directReaders } from '../../../support/direct-readers';
import { useModelBench } from '../../../support/model-bench';
import { rejection } from '../../../support/rejection';

const bench = useModelBench();

it('is a decoupled model with the inputs of vLLM’s backend, in which Triton refuses nothing', async () => {
  const text = generationConfig('my-gpt');
  const config = parseConfigPbtxt(text);
  expect(traitsOf(config)).toEqual({ sequences: false, decoupled: true });
  expect(config.input.map(({ name }) => name)).toEqual([
    ...['text_input', 'stream', 'sampling_parameters', 'exclude_input_in_output'],
  ]);
  await bench().put('r/my-gpt/config.pbtxt', text);
  await bench().put('r/my-gpt/1/model.py', '');
  const { repositories } = await checkRepositories([`${bench().dir}/r`], directReaders);
  const [model] = repositories.flatMap(({ models }) => models);
  expect([model?.name, model?.problems]).toEqual(['my-gpt', []]);
});

it('has the same inputs for vLLM’s backend, which finds the weights where a repository is mounted', () => {
  const [python, vllm] = (['python', 'vllm'] as const).map((one) =>
    parseConfigPbtxt(generationConfig('my-gpt', one)),
  );
  expect(vllm?.input).toEqual(python?.input);
  expect([vllm?.backend, vllm?.instanceGroup]).toEqual([
    'vllm',
    [expect.objectContaining({ kind: 'KIND_MODEL' })],
  ]);
  expect(JSON.parse(vllmArguments('my-gpt'))).toMatchObject({
    ...{ model: '/models/my-gpt/1/model', dtype: 'float32' },
  });
});

it('takes a recording where it is of speech, in which Triton refuses nothing', async () => {
  const text = speechConfig('my-whisper');
  const config = parseConfigPbtxt(text);
  expect(traitsOf(config)).toEqual({ sequences: false, decoupled: false });
  expect(config.input.map(({ name, optional }) => [name, optional ?? false])).toEqual([
    ['AUDIO', false],
    ['LANGUAGE', true],
  ]);
  await bench().put('r/my-whisper/config.pbtxt', text);
  await bench().put('r/my-whisper/1/model.py', '');
  const { repositories } = await checkRepositories([`${bench().dir}/r`], directReaders);
  const [model] = repositories.flatMap(({ models }) => models);
  expect([model?.name, model?.problems]).toEqual(['my-whisper', []]);
});

it('reads configuration, weights, tokenizer and processor of the folder, and nothing else', async () => {
  const read = [
    ...['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json', 'merges.txt'],
    ...['model.safetensors.index.json', 'model-00001-of-00002.safetensors', 'preprocessor_config.json'],
  ];
  const others = [
    'pytorch_model.bin',
    'README.md',
    'modeling_mine.py',
    'model.onnx',
    'optimizer.safetensors',
  ];
  for (const name of [...read, ...others]) await bench().put(`f/${name}`, 'x');
  const folder = join(bench().dir, 'f');
  const version = join(bench().dir, 'm', '1');
  await copyGenerationFiles(folder, version);
  expect((await readdir(join(version, 'model'))).sort()).toEqual(read.sort());
  await symlink('/etc/hostname', join(folder, 'vocab.json'));
  expect(await rejection(copyGenerationFiles(folder, version))).toMatchObject({
    code: 'model-folder-invalid',
  });
});
