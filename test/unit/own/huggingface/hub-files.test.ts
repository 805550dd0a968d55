import { describe, expect, it } from 'vitest';
import { chooseHubFiles, type HubFile } from '../../../../main/own/huggingface/hub-files';

const file = (path: string, bytes = 100): HubFile => ({
  ...{ path, bytes, sha256: null, blob: 'f00d', cached: false },
});
const chosen = (...paths: readonly string[]): readonly string[] =>
  chooseHubFiles(
    'acme/my-bert',
    paths.map((path) => file(path)),
  ).map(({ path }) => path);

describe('of a model on the hub', () => {
  it('configuration, weights, tokenizer, processor and card are taken', () => {
    const wanted = [
      ...['config.json', 'generation_config.json', 'model.safetensors', 'tokenizer.json', 'vocab.txt'],
      ...['tokenizer_config.json', 'preprocessor_config.json', 'README.md', 'LICENSE', 'modules.json'],
      ...[
        '1_Pooling/config.json',
        '2_Dense/config.json',
        '2_Dense/model.safetensors',
        'sentence_bert_config.json',
      ],
    ];
    expect(chosen(...wanted)).toEqual(wanted);
  });

  it('no pickle, no code and no other format is', () => {
    const kept = ['config.json', 'model.safetensors'];
    const others = [
      ...['pytorch_model.bin', 'modeling_my.py', 'training_args.bin', 'tf_model.h5', 'flax_model.msgpack'],
      ...['onnx/model.onnx', 'model.gguf', 'optimizer.pt', 'weights.pkl', '.gitattributes', 'rust_model.ot'],
      ...['runs/events.out', '../config.json', 'sub/config.json', 'sub/model.safetensors'],
    ];
    expect(chosen(...kept, ...others)).toEqual(kept);
  });

  it('one file of weights comes before parts, and parts of another program are left', () => {
    const parts = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const index = 'model.safetensors.index.json';
    const other = ['consolidated-00001-of-00002.safetensors', 'model.fp16.safetensors'];
    expect(chosen('config.json', index, ...parts, ...other)).toEqual(['config.json', index, ...parts]);
    expect(chosen('config.json', 'model.safetensors', index, ...parts)).toEqual([
      'config.json',
      'model.safetensors',
    ]);
  });

  it('a tokenizer beyond its limit stays there', () => {
    const files = [file('config.json'), file('model.safetensors', 10 ** 12), file('tokenizer.json', 10 ** 9)];
    expect(chooseHubFiles('acme/x', files).map(({ path }) => path)).toEqual([
      'config.json',
      'model.safetensors',
    ]);
  });

  it.each([
    [['config.json', 'pytorch_model.bin'], 'The weights are pickles (pytorch_model.bin)'],
    [['config.json', 'model.gguf'], 'has no model.safetensors; it holds model.gguf'],
    [['adapter_config.json', 'adapter_model.safetensors'], 'an adapter (PEFT, LoRA)'],
    [['model_index.json'], 'a pipeline of diffusers'],
  ])('%j is refused before anything is downloaded', (paths, words) => {
    expect(() => chosen(...paths)).toThrow(words);
  });
});
