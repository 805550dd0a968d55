import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGenerating } from '../../../../main/contract/run/hugging-face';
import { planPipeline } from '../../../../main/own/huggingface/pipeline-plan';
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
      texts: 'texts.txt',
      pairs: true,
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

  it('takes no second text where the model has one kind of token', async () => {
    const single = await plan({ type_vocab_size: 1 });
    expect((await single.planned()).pairs).toBe(false);
    const roberta = { architectures: ['RobertaForSequenceClassification'], model_type: 'roberta' };
    expect((await (await plan({ ...roberta, type_vocab_size: 1 })).planned()).pairs).toBe(true);
    const tokens = await plan({ architectures: ['BertForTokenClassification'] });
    expect((await tokens.planned()).pairs).toBe(false);
  });

  it('answers questions about a context, or puts tokens in the place of a mask', async () => {
    const questions = await plan({ architectures: ['BertForQuestionAnswering'] });
    expect(await questions.planned()).toMatchObject({
      ...{ task: 'question-answering', lastStep: 'answers.py', texts: 'questions.txt' },
    });
    const masks = await plan({ architectures: ['BertForMaskedLM'] });
    expect(await masks.planned()).toMatchObject({
      ...{ task: 'fill-mask', lastStep: 'tokens.py', texts: 'texts.txt' },
    });
  });

  it('is one model where it generates', async () => {
    const gpt = await plan({ model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_positions: 64 });
    const planned = await gpt.planned();
    expect(planned).toMatchObject({ task: 'text-generation', lastStep: null, mostTokens: 64 });
    expect([isGenerating(planned.task), isGenerating('text-classification')]).toEqual([true, false]);
  });

  it('is refused for a task without steps, naming those that have some', async () => {
    const { path, planned } = await plan({ architectures: ['BertModel'] });
    expect(await rejection(planned())).toMatchObject({
      code: 'combination-unsupported',
      message: 'A pipeline for features of tokens cannot be written',
      where: path,
      remedy: expect.stringMatching(
        /^Pipelines exist for text classification, .*Serve it as tensors: leave --serve out\.$/,
      ) as string,
    });
  });

  it('takes images or audio where the model does, in one size where the model takes one', async () => {
    const vit = { model_type: 'vit', architectures: ['ViTForImageClassification'], image_size: 32 };
    const files = { 'preprocessor_config.json': '{"size":{"height":32,"width":32}}' };
    expect(await (await plan(vit, files)).planned()).toEqual({
      ...{ name: 'my-bert', task: 'image-classification', lastStep: 'labels.py', mostTokens: 0 },
      ...{ media: 'images', imageSides: [32, 32] },
    });
    const detr = { model_type: 'detr', architectures: ['DetrForObjectDetection'] };
    const sizes = { 'preprocessor_config.json': '{"size":{"shortest_edge":64,"longest_edge":96}}' };
    expect(await (await plan(detr, sizes)).planned()).toMatchObject({
      ...{ task: 'object-detection', lastStep: 'boxes.py', imageSides: null },
    });
    const sound = { model_type: 'wav2vec2', architectures: ['Wav2Vec2ForSequenceClassification'] };
    const rate = { 'preprocessor_config.json': '{"sampling_rate":16000}' };
    expect(await (await plan(sound, rate)).planned()).toEqual({
      ...{
        name: 'my-bert',
        task: 'audio-classification',
        lastStep: 'labels.py',
        mostTokens: 0,
        media: 'audio',
      },
    });
    const ctc = await plan({ ...sound, architectures: ['Wav2Vec2ForCTC'] }, rate);
    expect(await ctc.planned()).toMatchObject({ lastStep: 'transcript.py', media: 'audio' });
    await rm(join(ctc.path, 'tokenizer.json'));
    expect((await rejection(ctc.planned())).message).toContain('no tokenizer');
  });

  it('is one model where it writes down speech, of recordings as long as its processor says', async () => {
    const whisper = { model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] };
    const { planned, path } = await plan(whisper, { 'preprocessor_config.json': '{}' });
    expect(await planned()).toEqual({
      ...{ name: 'my-bert', task: 'automatic-speech-recognition', lastStep: null, mostTokens: 0 },
      ...{ media: 'audio', mostSeconds: 30 },
    });
    await rm(join(path, 'tokenizer.json'));
    expect((await rejection(planned())).message).toContain('no tokenizer');
  });

  it('is refused without a tokenizer', async () => {
    const { planned, path } = await plan();
    await rm(join(path, 'tokenizer.json'));
    const error = await rejection(planned());
    expect(error).toMatchObject({ code: 'model-folder-invalid' });
    expect(error.message).toContain('no tokenizer');
  });
});
