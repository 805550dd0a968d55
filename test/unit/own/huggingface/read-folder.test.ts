import { copyFile, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHuggingFace } from '../../../../main/own/huggingface/read-folder';
import { bertTensors, putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const bench = useModelBench();

describe('a folder of save_pretrained', () => {
  it('is read for its class, sizes, weights and what a caller needs', async () => {
    const facts = await readHuggingFace(await putHuggingFace(bench()));
    expect(facts).toMatchObject({
      modelType: 'bert',
      architecture: 'BertForSequenceClassification',
      labels: 3,
      weights: { files: ['model.safetensors'], parameters: 424, dtypes: ['F32'] },
      has: { tokenizer: true, processor: false, generation: false },
      tokenizerLongest: null,
      sentence: null,
    });
    // Thousands of names in some models.
    expect(facts.config).not.toHaveProperty('id2label');
  });

  it('has its weights in several files, by their index', async () => {
    const part = (name: keyof typeof bertTensors) => safetensorsBytes({ [name]: bertTensors[name] });
    const [first, second] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
    const map = { 'bert.embeddings.word_embeddings.weight': first, 'classifier.weight': second };
    const folder = await putHuggingFace(bench(), {
      weights: null,
      files: {
        'model.safetensors.index.json': JSON.stringify({ metadata: {}, weight_map: map }),
        [first]: part('bert.embeddings.word_embeddings.weight'),
        [second]: part('classifier.weight'),
      },
    });
    expect((await readHuggingFace(folder)).weights).toMatchObject({
      files: [first, second],
      parameters: 424,
    });
  });

  it('may be of the cache of the hub, whose entries are links to its contents', async () => {
    const folder = await putHuggingFace(bench());
    const hub = join(bench().dir, 'models--acme--my-bert');
    const [blobs, snapshot] = [join(hub, 'blobs'), join(hub, 'snapshots', 'f00d')];
    await mkdir(blobs, { recursive: true });
    await mkdir(snapshot, { recursive: true });
    for (const name of ['config.json', 'model.safetensors']) {
      await symlink(join('..', '..', 'blobs', name), join(snapshot, name));
      await copyFile(join(folder, name), join(blobs, name));
    }
    await rm(folder, { recursive: true });
    expect((await readHuggingFace(snapshot)).labels).toBe(3);
  });

  it('of sentence-transformers has its pooling and the longest text', async () => {
    const files = {
      'modules.json': JSON.stringify([
        { idx: 0, name: '0', path: '', type: 'sentence_transformers.models.Transformer' },
        { idx: 1, name: '1', path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
        { idx: 2, name: '2', path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
      ]),
      '1_Pooling/config.json': JSON.stringify({
        pooling_mode_cls_token: false,
        pooling_mode_mean_tokens: true,
      }),
      'sentence_bert_config.json': JSON.stringify({ max_seq_length: 32 }),
    };
    const { sentence } = await readHuggingFace(await putHuggingFace(bench(), { files }));
    expect(sentence).toEqual({ pooling: 'mean', dense: [], normalize: true, longest: 32 });
  });

  it('of sentence-transformers has the layers behind its pooling, whose sizes are those of their weights', async () => {
    const st = 'sentence_transformers.models';
    const layered = (size: number, more: object = {}) => ({
      'modules.json': JSON.stringify([
        { path: '', type: `${st}.Transformer` },
        { path: '1_Pooling', type: `${st}.Pooling` },
        { path: '2_Dense', type: `${st}.Dense` },
        { path: '3_Normalize', type: `${st}.Normalize` },
      ]),
      '1_Pooling/config.json': '{"pooling_mode_lasttoken": true}',
      '2_Dense/config.json': JSON.stringify({ in_features: 8, out_features: size, ...more }),
      '2_Dense/model.safetensors': safetensorsBytes({ 'linear.weight': { shape: [4, 8] } }),
    });
    const read = async (files: Record<string, string | Buffer>) =>
      (await readHuggingFace(await putHuggingFace(bench(), { files }))).sentence;
    expect(await read(layered(4))).toEqual({
      ...{ pooling: 'lasttoken', dense: [{ path: '2_Dense', size: 4 }], normalize: true, longest: null },
    });
    await expect(read(layered(5))).rejects.toThrow('out_features is 5, but linear.weight has 4 rows');
    const relu = { activation_function: 'torch.nn.modules.activation.ReLU' };
    await expect(read(layered(4, relu))).rejects.toThrow('activation of this layer');
    const folder = await putHuggingFace(bench(), { files: layered(4) });
    const layer = join(folder, '2_Dense');
    await rename(join(layer, 'model.safetensors'), join(layer, 'pytorch_model.bin'));
    await expect(readHuggingFace(folder)).rejects.toThrow('pickles (pytorch_model.bin)');
  });

  it('names what lies beside the model and is not read', async () => {
    const files = {
      'pytorch_model.bin': bench().bomb(),
      'training_args.bin': 'x',
      'handler.py': 'open("x")',
    };
    const { ignored } = await readHuggingFace(await putHuggingFace(bench(), { files }));
    expect(ignored).toEqual({ pickles: ['pytorch_model.bin'], code: ['handler.py'] });
  });

  it('says the longest text of its tokenizer, but for its word for no limit', async () => {
    const longestOf = async (length: unknown) => {
      const files = { 'tokenizer_config.json': JSON.stringify({ model_max_length: length }) };
      return (await readHuggingFace(await putHuggingFace(bench(), { files }))).tokenizerLongest;
    };
    expect(await longestOf(48)).toBe(48);
    expect(await longestOf(1e30)).toBeNull();
  });
});
