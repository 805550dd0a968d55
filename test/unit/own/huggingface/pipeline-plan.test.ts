import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGenerating, planPipeline } from '../../../../main/own/huggingface/pipeline-plan';
import { readHuggingFace } from '../../../../main/own/huggingface/read-folder';
import { openModel } from '../../../../main/own/open-model';
import { sourceOf } from '../../../../main/own/own-preset';
import { putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';
import { rejection } from '../../../support/rejection';

const bench = useModelBench();

async function plan(
  config: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
  const path = await putHuggingFace(bench(), { config, weights, files });
  const { choice } = await openModel({ path }, bench().tools());
  const source = sourceOf(choice?.overrides['model']);
  if (source === undefined) throw new Error('not opened');
  return { path, planned: async () => planPipeline(await readHuggingFace(path), source) };
}

describe('a pipeline', () => {
  it('has the name of the folder, and cuts texts where model or tokenizer end', async () => {
    const whole = await plan();
    expect(await whole.planned()).toEqual({
      name: 'my-bert',
      task: 'text-classification',
      lastStep: 'labels.py',
      mostTokens: 64,
    });
    // Samples of tensors are shorter than what a long model takes, texts are not.
    const longer = await plan({ max_position_embeddings: 8192 });
    expect((await longer.planned()).mostTokens).toBe(8192);
    const shorter = await plan({}, { 'tokenizer_config.json': '{"model_max_length":48}' });
    expect((await shorter.planned()).mostTokens).toBe(48);
  });

  it('ends in spans of tokens, or in the vectors of the model', async () => {
    const tokens = await plan({ architectures: ['BertForTokenClassification'] });
    expect((await tokens.planned()).lastStep).toBe('spans.py');
    const modules = [
      { type: 'sentence_transformers.models.Transformer', path: '' },
      { type: 'sentence_transformers.models.Pooling', path: '1_Pooling' },
    ];
    const sentences = await plan(
      { architectures: ['BertModel'] },
      {
        'modules.json': JSON.stringify(modules),
        '1_Pooling/config.json': '{"pooling_mode_mean_tokens":true}',
      },
    );
    expect(await sentences.planned()).toMatchObject({ task: 'sentence-similarity', lastStep: null });
  });

  it('is one model where it generates', async () => {
    const gpt = await plan({ model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_positions: 64 });
    const planned = await gpt.planned();
    expect(planned).toMatchObject({ task: 'text-generation', lastStep: null, mostTokens: 64 });
    expect([isGenerating(planned.task), isGenerating('text-classification')]).toEqual([true, false]);
  });

  it('is refused for a task without steps, naming those that have some', async () => {
    const { path, planned } = await plan({ architectures: ['BertForMaskedLM'] });
    expect(await rejection(planned())).toMatchObject({
      code: 'combination-unsupported',
      message: 'A pipeline for fill-mask cannot be written',
      where: path,
      remedy:
        'Pipelines exist for text classification, token classification, sentence embeddings, text generation, text-to-text generation. Serve it as tensors: leave --serve out.',
    });
  });

  it('is refused without a tokenizer', async () => {
    const { planned, path } = await plan();
    await rm(join(path, 'tokenizer.json'));
    const error = await rejection(planned());
    expect(error).toMatchObject({ code: 'model-folder-invalid' });
    expect(error.message).toContain('no tokenizer');
  });
});
