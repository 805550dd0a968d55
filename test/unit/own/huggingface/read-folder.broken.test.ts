import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire } from '../../../../main/contract/errors';
import { modelPathKind } from '../../../../main/own/model-files';
import { openModel } from '../../../../main/own/open-model';
import {
  bertConfig,
  bertTensors,
  headed,
  putHuggingFace,
  safetensorsBytes,
} from '../../../support/huggingface-folder';
import { type Broken, type ModelBench, refusesEach, useModelBench } from '../../../support/model-bench';

const code = 'model-folder-invalid';
const config =
  (change: Readonly<Record<string, unknown>>) =>
  (bench: ModelBench): Promise<string> =>
    putHuggingFace(bench, { config: change });
const text =
  (content: string) =>
  (bench: ModelBench): Promise<string> =>
    putHuggingFace(bench, { config: null, files: { 'config.json': content } });
const weights =
  (bytes: Buffer) =>
  (bench: ModelBench): Promise<string> =>
    putHuggingFace(bench, { weights: bytes });
const files =
  (more: Readonly<Record<string, string | Buffer>>, without?: null) =>
  (bench: ModelBench): Promise<string> =>
    putHuggingFace(bench, { files: more, ...(without === null ? { weights: null } : {}) });
const linked = (target: string) => async (bench: ModelBench) => {
  const folder = await putHuggingFace(bench);
  await rm(join(folder, 'config.json'));
  await writeFile(join(bench.dir, 'elsewhere.json'), JSON.stringify(bertConfig));
  await symlink(target, join(folder, 'config.json'));
  return folder;
};
const modules = (...types: readonly string[]) =>
  JSON.stringify(types.map((type, idx) => ({ idx, path: idx === 0 ? '' : `${idx}_Part`, type })));
const st = 'sentence_transformers.models';
const index = 'model.safetensors.index.json';
const shards = (map: unknown) => JSON.stringify({ weight_map: map });

const table: readonly Omit<Broken, 'code'>[] = [
  {
    what: 'an adapter',
    make: (bench) =>
      putHuggingFace(bench, { config: null, weights: null, files: { 'adapter_config.json': '{}' } }),
    says: ['an adapter (PEFT, LoRA)', 'merge_and_unload'],
  },
  {
    what: 'a pipeline of diffusers',
    make: (bench) =>
      putHuggingFace(bench, { config: null, weights: null, files: { 'model_index.json': '{}' } }),
    says: ['a pipeline of diffusers'],
  },
  ...(['awq', 'gptq', 'bitsandbytes'] as const).map((method) => ({
    what: `weights that ${method} quantized`,
    make: config({ quantization_config: { quant_method: method } }),
    says: [/quantized \((AWQ|GPTQ|bitsandbytes)\)/, 'Give the folder of the model that was quantized'],
  })),
  {
    what: 'weights of eight bits',
    make: weights(safetensorsBytes({ w: { dtype: 'F8_E4M3', shape: [4] } })),
    says: ['quantized (F8_E4M3)'],
  },
  {
    what: 'a pickle as weights',
    make: async (bench) => files({ 'pytorch_model.bin': bench.bomb() }, null)(bench),
    says: ['The weights are pickles (pytorch_model.bin)', 'unpickling can run any code', 'save_pretrained'],
  },
  {
    what: 'a joblib beside config.json',
    make: async (bench) => files({ 'model.joblib': bench.bomb() }, null)(bench),
    says: ['pickles (model.joblib)'],
  },
  { what: 'no weights', make: files({}, null), says: ['has no model.safetensors'] },
  {
    what: 'code that config.json names',
    make: config({ auto_map: { AutoModel: 'modeling_x.X' } }),
    says: ['names Python code of the folder (auto_map), which is not run'],
  },
  {
    what: 'code that the tokenizer names',
    make: files({ 'tokenizer_config.json': '{"auto_map":{"AutoTokenizer":["t.T",null]}}' }),
    says: ['tokenizer_config.json names Python code'],
  },
  { what: 'an unknown type', make: config({ model_type: 'rwkv' }), says: ['the type "rwkv"', 'bert'] },
  {
    what: 'a type that is a prototype',
    make: config({ model_type: 'constructor' }),
    says: ['"constructor"'],
  },
  { what: 'no class', make: config({ architectures: [] }), says: ['does not name the class'] },
  {
    what: 'a class without a task',
    make: config({ architectures: ['BertForPreTraining'] }),
    says: ['"BertForPreTraining" is not exported', 'BertForMaskedLM'],
  },
  {
    what: 'a negative size',
    make: config({ hidden_size: -8 }),
    says: ['hidden_size is -8, which no model has'],
  },
  {
    what: 'a huge size',
    make: config({ num_hidden_layers: 1e9 }),
    says: ['num_hidden_layers is 1000000000'],
  },
  { what: 'a fraction as a size', make: config({ vocab_size: 1.5 }), says: ['vocab_size is 1.5'] },
  {
    what: 'a text as a size',
    make: config({ intermediate_size: '64' }),
    says: ['intermediate_size is "64"'],
  },
  {
    what: 'a huge size of a part',
    make: config({ text_config: { vocab_size: 1e12 } }),
    says: ['vocab_size is 1000000000000'],
  },
  {
    what: 'a size that its weights do not have',
    make: config({ vocab_size: 51 }),
    says: ['says vocab_size is 51', 'has 50 rows'],
  },
  {
    what: 'a negative length of the tokenizer',
    make: files({ 'tokenizer_config.json': '{"model_max_length":-1}' }),
    says: ['model_max_length is -1'],
  },
  { what: 'a backbone of timm', make: config({ use_timm_backbone: true }), says: ['the library timm'] },
  {
    what: 'a deep config.json',
    make: text(`{"model_type":"bert","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    says: ['config.json is not valid JSON: more than 64 lists and objects'],
  },
  { what: 'half a config.json', make: text('{"model_type":"bert",'), says: ['not valid JSON'] },
  {
    what: 'a config.json beyond the limit',
    make: text(`{"model_type":"bert","a":"${'x'.repeat(17 * 1024 * 1024)}"}`),
    says: ['config.json is not read: it has', 'at most'],
  },
  { what: 'a link out of the folder', make: linked('../elsewhere.json'), says: ['leads out of the folder'] },
  {
    what: 'a pipe as weights',
    make: async (bench) => {
      const folder = await putHuggingFace(bench, { weights: null });
      execFileSync('mkfifo', [join(folder, 'model.safetensors')]);
      return folder;
    },
    says: ['model.safetensors is not a regular file'],
  },
  {
    what: 'a header longer than the file',
    make: weights(headed('{}', 0, 2n ** 63n)),
    says: ['its header is longer than the file'],
  },
  { what: 'a file of four bytes', make: weights(Buffer.from('abcd')), says: ['cut off'] },
  {
    what: 'a header that is a list',
    make: weights(headed('[1,2]', 8)),
    says: ['its header is not an object'],
  },
  { what: 'no tensors', make: weights(headed('{}', 0)), says: ['it has no tensors'] },
  {
    what: 'a negative axis',
    make: weights(headed('{"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', 4)),
    says: ['"w" has no valid shape'],
  },
  {
    what: 'a shape beyond all numbers',
    make: weights(
      headed(`{"w":{"dtype":"F32","shape":[${'9007199254740991,'.repeat(3)}9],"data_offsets":[0,4]}}`, 4),
    ),
    says: ['which its shape does not need'],
  },
  {
    what: 'overlapping tensors',
    make: weights(
      safetensorsBytes({ a: { shape: [2], offsets: [0, 8] }, b: { shape: [2], offsets: [4, 12] } }),
    ),
    says: ['"b" overlaps another one'],
  },
  {
    what: 'a hole between tensors',
    make: weights(
      safetensorsBytes({ a: { shape: [1], offsets: [0, 4] }, b: { shape: [2], offsets: [8, 16] } }),
    ),
    says: ['no tensor covers the bytes before the tensor "b"'],
  },
  {
    what: 'weights that are cut off',
    make: weights(safetensorsBytes(bertTensors).subarray(0, -100)),
    says: ['bytes of weights, and its header says'],
  },
  {
    what: 'a Git LFS pointer as weights',
    make: weights(Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 98\n')),
    says: ['Git LFS pointer', 'git lfs pull'],
  },
  {
    what: 'an index that leads elsewhere',
    make: files({ [index]: shards({ w: '../../other.safetensors' }) }, null),
    says: ['names "../../other.safetensors" as a file of the folder'],
  },
  {
    what: 'a missing shard',
    make: files({ [index]: shards({ w: 'model-00001-of-00001.safetensors' }) }, null),
    says: ['names files that are missing: model-00001-of-00001.safetensors'],
  },
  {
    what: 'a shard without its tensor',
    make: files(
      { [index]: shards({ gone: 'a.safetensors' }), 'a.safetensors': safetensorsBytes(bertTensors) },
      null,
    ),
    says: ['lacks tensors', 'gone'],
  },
  {
    what: 'a module of sentence-transformers with its own weights',
    make: files({ 'modules.json': modules(`${st}.Transformer`, `${st}.Pooling`, `${st}.LSTM`) }),
    says: ['Transformer, Pooling, LSTM'],
  },
  {
    what: 'a module of its own code',
    make: files({ 'modules.json': modules('custom_st.Transformer') }),
    says: ['does not have itself: "custom_st.Transformer"'],
  },
  {
    what: 'a module elsewhere',
    make: files({ 'modules.json': JSON.stringify([{ path: '../..', type: `${st}.Transformer` }]) }),
    says: ['does not have itself'],
  },
];

refusesEach(
  'a Hugging Face folder with',
  table.map((row) => ({ ...row, code })),
);

describe('what is something else', () => {
  const bench = useModelBench();

  it('stays a model folder where it has model.py, and a SavedModel with its graph', async () => {
    const folder = await putHuggingFace(bench(), { files: { 'model.py': '' } });
    expect((await modelPathKind(folder)).kind).toBe('folder');
    await rm(join(folder, 'model.py'));
    expect((await modelPathKind(folder)).kind).toBe('huggingface');
    await writeFile(join(folder, 'preset.yaml'), '');
    expect((await modelPathKind(folder)).kind).toBe('folder');
    await writeFile(join(folder, 'saved_model.pb'), 'x');
    expect((await modelPathKind(folder)).kind).toBe('savedmodel');
  });

  it('is not taken for one by a config.json of another program', async () => {
    const folder = await putHuggingFace(bench(), { config: null, weights: null });
    await writeFile(join(folder, 'config.json'), '{"port":8080}');
    await mkdir(join(folder, '1'), { recursive: true });
    expect((await modelPathKind(folder)).kind).toBe('repository');
  });
});

/** The same numbers each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a thousand folders of wrong bytes', () => {
  const bench = useModelBench();

  it('are opened or refused by name, and nothing else', async () => {
    const next = random(49);
    const pick = (length: number) => Math.floor(next() * length);
    const [plain, stored] = [Buffer.from(JSON.stringify(bertConfig)), safetensorsBytes(bertTensors)];
    const change = (bytes: Buffer) => {
      const changed = Buffer.from(bytes);
      for (let times = pick(4) + 1; times > 0; times -= 1) changed[pick(changed.length)] = pick(256);
      return next() < 0.2 ? changed.subarray(0, pick(changed.length)) : changed;
    };
    const counts = { opened: 0, refused: 0 };
    for (let turn = 0; turn < 1000; turn += 1) {
      const isConfig = turn % 2 === 0;
      const path = await putHuggingFace(bench(), {
        config: null,
        weights: isConfig ? stored : change(stored),
        files: { 'config.json': isConfig ? change(plain) : plain },
      });
      const error = await openModel({ path }, bench().tools()).then(
        () => null,
        (caught: unknown) => toWire(caught),
      );
      if (error === null) counts.opened += 1;
      else {
        expect(['model-folder-invalid', 'model-file-invalid']).toContain(error.code);
        counts.refused += 1;
      }
    }
    // Weights and labels may have other bytes; a header and the structure may not.
    expect(counts.opened).toBeGreaterThan(50);
    expect(counts.refused).toBeGreaterThan(300);
  });
});
