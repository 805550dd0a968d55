import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ModelSource } from '../../../../main/contract/run/run-spec';
import { architectureOf, classesOf, families } from '../../../../main/own/huggingface/architectures';
import { openModel } from '../../../../main/own/open-model';
import { putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const bench = useModelBench();

interface OpenedFolder {
  readonly source: ModelSource;
  readonly notes: string;
  readonly args: Readonly<Record<string, string>>;
}

async function open(
  config: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
  shapes: Readonly<Record<string, number[]>> = {},
): Promise<OpenedFolder> {
  const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
  const path = await putHuggingFace(bench(), { config, weights, files });
  const { choice, notes, preset, trusted, code } = await openModel({ path, shapes }, bench().tools());
  expect([trusted, code]).toEqual([true, []]);
  const { model } = (choice?.overrides ?? {}) as { model: { source: ModelSource } };
  const args = preset?.profiles.quick?.args ?? {};
  return { source: model.source, notes: notes.join('\n'), args };
}

const shapesOf = (tensors: readonly { readonly name: string; readonly shape: readonly number[] }[]) =>
  Object.fromEntries(tensors.map(({ name, shape }) => [name, shape]));

describe('a text classifier', () => {
  it('is served with the tensors of its tokenizer, and one score per label', async () => {
    const { source, notes, args } = await open({});
    expect(shapesOf(source.inputs)).toEqual({
      input_ids: [-1, -1],
      attention_mask: [-1, -1],
      token_type_ids: [-1, -1],
    });
    expect(shapesOf(source.outputs)).toEqual({ logits: [-1, 3] });
    expect(source.huggingFace).toEqual({
      task: 'text-classification',
      architecture: 'BertForSequenceClassification',
      autoClass: 'AutoModelForSequenceClassification',
      longest: 64,
      most: 64,
      paddingId: 0,
    });
    expect(args['ranges']).toBe('input_ids:0:50,attention_mask:1:2,token_type_ids:0:2');
    for (const words of [
      'BERT for text classification',
      '2 parameters as float32',
      'tokenizer of the folder',
    ])
      expect(notes).toContain(words);
  });

  it('has samples of the lengths that model and tokenizer take, or that a person says', async () => {
    const tokenizer = { 'tokenizer_config.json': '{"model_max_length":48}' };
    expect((await open({}, tokenizer)).source.huggingFace?.longest).toBe(48);
    const said = await open({}, {}, { input_ids: [1, 20] });
    expect(said.source.huggingFace?.longest).toBe(20);
    expect(said.source.inputs.map(({ sample }) => sample)).toEqual([
      [1, 20],
      [1, 20],
      [1, 20],
    ]);
    await expect(open({}, {}, { ids: [1, 20] })).rejects.toThrow('no input "ids"');
  });

  it('of RoBERTa has fewer positions than rows of the weight, and no segments', async () => {
    const roberta = {
      ...{ model_type: 'roberta', architectures: ['RobertaForSequenceClassification'] },
      ...{ max_position_embeddings: 514, pad_token_id: 1 },
    };
    const { source } = await open(roberta);
    expect(source.inputs.map(({ name }) => name)).toEqual(['input_ids', 'attention_mask']);
    expect(source.huggingFace).toMatchObject({ longest: 512, paddingId: 1 });
  });
});

it('an output with a score per word is compared at lengths whose values fit', async () => {
  const { source } = await open({ architectures: ['BertForMaskedLM'], vocab_size: 131_072 });
  expect(source.huggingFace?.longest).toBe(32);
  expect(shapesOf(source.outputs)).toEqual({ logits: [-1, -1, 131_072] });
});

it('a sentence model gives one vector per text, whatever its class', async () => {
  const { source, notes } = await open(
    { architectures: ['BertModel'] },
    {
      'modules.json': JSON.stringify([
        { path: '', type: 'sentence_transformers.models.Transformer' },
        { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      ]),
      '1_Pooling/config.json': '{"pooling_mode_mean_tokens":true}',
    },
  );
  expect(shapesOf(source.outputs)).toEqual({ sentence_embedding: [-1, 8] });
  expect(source.huggingFace).toMatchObject({
    ...{ task: 'sentence-similarity', autoClass: 'AutoModel', pooling: 'mean', normalize: false },
  });
  expect(notes).toContain('sentence embeddings (BertModel, mean pooling)');
});

describe('an image model', () => {
  const image = { model_type: 'vit', architectures: ['ViTForImageClassification'], image_size: 32 };
  it('takes images of the size of its patches, or of its processor', async () => {
    const processor = { 'preprocessor_config.json': '{"size":{"height":48,"width":40}}' };
    const plain = await open({
      ...image,
      model_type: 'resnet',
      architectures: ['ResNetForImageClassification'],
    });
    expect(plain.notes).toContain('Images have 32 × 32 pixels, by config.json.');
    expect(shapesOf((await open(image, processor)).source.inputs)).toEqual({ pixel_values: [-1, 3, 32, 32] });
    const resnet = { model_type: 'resnet', architectures: ['ResNetForImageClassification'] };
    expect(shapesOf((await open(resnet, processor)).source.inputs)).toEqual({
      pixel_values: [-1, 3, 48, 40],
    });
    const said = await open(resnet, processor, { pixel_values: [1, 3, 64, 96] });
    expect(shapesOf(said.source.inputs)).toEqual({ pixel_values: [-1, 3, 64, 96] });
  });

  it('finds boxes with a score per label and one for nothing', async () => {
    const yolos = {
      ...{ model_type: 'yolos', architectures: ['YolosForObjectDetection'] },
      ...{ image_size: [64, 96], num_detection_tokens: 7 },
    };
    const { source } = await open(yolos);
    expect(shapesOf(source.inputs)).toEqual({ pixel_values: [-1, 3, 64, 96] });
    expect(shapesOf(source.outputs)).toEqual({ logits: [-1, 7, 4], pred_boxes: [-1, 7, 4] });
  });

  it('of a processor with huge images is refused', async () => {
    const processor = { 'preprocessor_config.json': '{"size":100000}' };
    const resnet = { model_type: 'resnet', architectures: ['ResNetForImageClassification'] };
    await expect(open(resnet, processor)).rejects.toThrow('100000 × 100000');
  });
});

it('speech to text takes a spectrogram and the words so far', async () => {
  const { source, notes } = await open({
    ...{ model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] },
    ...{ num_mel_bins: 80, max_source_positions: 50, max_target_positions: 20 },
  });
  expect(shapesOf(source.inputs)).toEqual({ input_features: [-1, 80, 100], decoder_input_ids: [-1, -1] });
  expect(notes).toContain('One request is one forward pass');
});

describe('the table of architectures', () => {
  const rows = Object.keys(families).flatMap((type) => classesOf(type).map((name) => ({ type, name })));

  it.each(rows)('$name has tensors with a batch', async ({ type, name }) => {
    const { source } = await open({ model_type: type, architectures: [name], image_size: 32 });
    expect(architectureOf(type, name)?.name).toBe(name);
    for (const { shape } of [...source.inputs, ...source.outputs]) expect(shape[0]).toBe(-1);
    expect(source.batched).toBe(true);
    expect(await readdir(source.path)).toContain('config.json');
  });
});
