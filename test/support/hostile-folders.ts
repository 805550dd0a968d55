import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bertConfig, bertTensors, headed, safetensorsBytes } from './huggingface-folder';

/** What a hostile folder has in place of a file. */
type Entry =
  | { readonly text: string | Buffer }
  | { readonly link: string }
  /** A file of holes: its size lies, and it takes no disk. */
  | { readonly holes: number; readonly head?: Buffer };
type Folder = Map<string, Entry>;

const text = (value: unknown): Entry => ({
  text: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
});

/** The same numbers each time, from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const st = 'sentence_transformers.models';
const bases: readonly (() => Folder)[] = [
  () =>
    new Map([
      ['config.json', text(bertConfig)],
      ['model.safetensors', text(safetensorsBytes(bertTensors))],
      ['tokenizer.json', text('{}')],
      ['tokenizer_config.json', text({ model_max_length: 48 })],
      ['README.md', text('---\nlicense: mit\ntags: [a, b]\n---\n')],
      [
        'modules.json',
        text([
          { path: '', type: `${st}.Transformer` },
          { path: '1_Pooling', type: `${st}.Pooling` },
        ]),
      ],
      ['1_Pooling/config.json', text({ pooling_mode: 'mean' })],
      ['sentence_bert_config.json', text({ max_seq_length: 32 })],
    ]),
  () =>
    new Map([
      [
        'config.json',
        text({
          ...{ model_type: 'segformer', architectures: ['SegformerForSemanticSegmentation'] },
          ...{ num_channels: 3, image_size: 64, patch_sizes: [7, 3], strides: [4, 2], hidden_sizes: [8, 16] },
          ...{ decoder_hidden_size: 32, num_labels: 5, num_attention_heads: [1, 2] },
        }),
      ],
      ['model.safetensors', text(safetensorsBytes({ w: { shape: [2] } }))],
      ['preprocessor_config.json', text({ size: { height: 64, width: 48 }, crop_size: 64 })],
    ]),
  () =>
    new Map([
      [
        'config.json',
        text({
          ...{ model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] },
          ...{ vocab_size: 50, num_mel_bins: 80, max_source_positions: 50, max_target_positions: 20 },
          ...{ pad_token_id: 0, d_model: 8 },
        }),
      ],
      ['model.safetensors', text(safetensorsBytes({ w: { shape: [2] } }))],
      ['preprocessor_config.json', text({ sampling_rate: 16_000 })],
    ]),
];

/** JSON texts in place of a number or a text. */
const values: readonly string[] = [
  ...['-1', '0', '1.5', '1e308', '-1e308', '1e400', '1e-300', '9007199254740993', '2147483648', '16777217'],
  ...['null', 'true', '[]', '{}', '"64"', '"\\u0000"', '[1e400]', '[-1,-1]', '{"height":1e9,"width":-3}'],
  ...['"__proto__"', '"constructor"', '"../../etc/passwd"', `"${'x'.repeat(100_000)}"`, '[[[[1]]]]'],
  ...['1000000000', '{"shortest_edge":1e300}', '[8192,8192,8192]', '["a",{"b":[]}]', '1048576'],
];

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Where a link of a hostile folder leads. */
const targets: readonly string[] = [
  ...['/etc/passwd', '/dev/zero', '/dev/urandom', '/proc/self/mem', '/proc/self/environ', '/', '..', '.'],
  ...['config.json', '../elsewhere.json', '/nowhere', 'self', '../../../../../../etc/hostname', '/dev/stdin'],
];

const sizes: readonly number[] = [2 ** 40, 2 ** 34, 17 * 2 ** 20, 2 ** 33 + 1];

type Pick = <Item>(items: readonly Item[]) => Item;
type Change = (folder: Folder, pick: Pick, next: () => number) => void;

const jsonNames = (folder: Folder): readonly string[] =>
  [...folder.keys()].filter((name) => name.endsWith('.json'));
const textOf = (folder: Folder, name: string): string => {
  const entry = folder.get(name);
  return entry !== undefined && 'text' in entry ? entry.text.toString() : '';
};

/** A number, text, list or object of a JSON file is another one. */
const valueChange: Change = (folder, pick) => {
  const name = pick(jsonNames(folder));
  const before = textOf(folder, name);
  const places = [...before.matchAll(/:(-?\d[\d.]*|"[^"]*"|\[[^[\]]*\]|\{[^{}]*\})/g)];
  if (places.length === 0) return;
  const { index, 0: found } = pick(places);
  folder.set(name, text(`${before.slice(0, index + 1)}${pick(values)}${before.slice(index + found.length)}`));
};

/** A key that means more than a value. */
const keyChange: Change = (folder, pick) => {
  const keys = [
    'auto_map',
    'quantization_config',
    'use_timm_backbone',
    '__proto__',
    'text_config',
    'id2label',
  ];
  const more = ['num_labels', 'backbone_config', 'num_queries', 'type_vocab_size', 'architectures'];
  const name = pick(jsonNames(folder));
  const before = textOf(folder, name);
  if (before.startsWith('{')) {
    folder.set(name, text(`{${JSON.stringify(pick([...keys, ...more]))}:${pick(values)},${before.slice(1)}`));
  }
};

/** JSON that is deep, wide, cut off, of other bytes or beyond its limit. */
const jsonBomb: Change = (folder, pick, next) => {
  const name = pick([...jsonNames(folder), 'model.safetensors.index.json']);
  const before = textOf(folder, name) || '{}';
  const flipped = Buffer.from(before);
  for (let times = 0; times < 3; times += 1) flipped[Math.floor(next() * flipped.length)] = next() * 256;
  const bombs: readonly Entry[] = [
    text(`{"a":${deep(200_000)}}`),
    text(`{"a":${deep(64)}}`),
    text(`{"a":[${'{},'.repeat(50_000)}{}]}`),
    text(before.slice(0, Math.floor(next() * before.length))),
    text(flipped),
    text(`\uFEFF${before}`),
    text(Buffer.from(before, 'utf16le')),
    ...sizes.map((holes) => ({ holes })),
  ];
  folder.set(name, pick(bombs));
};

const links: Change = (folder, pick) => {
  const names = [...folder.keys()].filter((name) => !name.includes('/'));
  const name = pick([...names, '1_Pooling', 'model.safetensors.index.json']);
  if (name === '1_Pooling') folder.delete('1_Pooling/config.json');
  folder.set(name, { link: pick(targets) });
};

/** Headers that lie: lengths, types, shapes, places. */
const headerLie: Change = (folder, pick, next) => {
  const tensor = {
    dtype: pick(['F32', 'F64', 'BF16', 'I64', 'F4', 'F8_E4M3', 'U7', '', '__proto__']),
    shape: pick<unknown>([[2], [-1], [], [2 ** 53], [1e308, 1e308], '2', [0, 2 ** 40], Array(99).fill(1)]),
    data_offsets: pick<unknown>([
      [0, 8],
      [8, 0],
      [0, 2 ** 53],
      [-8, 0],
      [0],
      [0, 4, 8],
      [0, 2 ** 60],
      'x',
      [4, 12],
    ]),
  };
  const header = pick([
    JSON.stringify({ w: tensor }),
    JSON.stringify({ w: tensor, v: tensor }),
    `{"__metadata__":${pick(values)},"w":${JSON.stringify(tensor)}}`,
    `{"w":${deep(100_000)}}`,
    `{${Array.from({ length: 5000 }, (_, at) => `"t${at}":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`).join()}}`,
    'null',
    '',
  ]);
  const claimed = pick([
    undefined,
    0n,
    1n,
    2n ** 63n,
    2n ** 64n - 1n,
    33n * 2n ** 20n,
    BigInt(Math.max(0, header.length - 1)),
  ]);
  const bytes = headed(header, Math.floor(next() * 16), claimed);
  folder.set('model.safetensors', pick<Entry>([{ text: bytes }, { holes: 2 ** 40, head: bytes }]));
};

/** Indexes of weights in parts. */
const indexLie: Change = (folder, pick) => {
  const names = [
    'a.safetensors',
    '../a.safetensors',
    '/etc/passwd',
    'a',
    '',
    '.safetensors',
    'x'.repeat(5000),
  ];
  const weights = folder.get('model.safetensors');
  folder.delete('model.safetensors');
  if (weights !== undefined) folder.set('a.safetensors', weights);
  const map = pick<unknown>([
    { w: pick(names) },
    { w: 'a.safetensors', gone: 'a.safetensors' },
    { w: 3 },
    [],
    null,
    Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`t${at}`, `p${at}.safetensors`])),
    { __proto__: 'a.safetensors', w: 'a.safetensors' },
  ]);
  folder.set('model.safetensors.index.json', text({ weight_map: map }));
};

/** A tokenizer is never read while looking: only what its settings say. */
const tokenizerBomb: Change = (folder, pick) => {
  const name = pick(['tokenizer.json', 'vocab.txt', 'spiece.model', 'tokenizer_config.json', 'merges.txt']);
  const length = pick(values);
  const bombs: readonly Entry[] = [
    ...sizes.map((holes) => ({ holes })),
    text(`{"model_max_length":${length}}`),
    text(`{"model_max_length":${length},"auto_map":${pick(values)}}`),
    text(`{"added_tokens":[${'{"content":"((((a+)+)+)+)+"},'.repeat(1000)}{}],"model":{"type":"BPE"}}`),
    text(deep(300_000)),
    { link: pick(targets) },
  ];
  folder.set(name, pick(bombs));
};

const cardBomb: Change = (folder, pick) => {
  const yaml = pick([
    `tags: &a [x]\nbase_model: [${'*a,'.repeat(2000)}]`,
    `tags: ${deep(5000)}`,
    'license: !!js/function "f"',
    'tags: {? {a: b} : c}',
    `license: ${'x'.repeat(80_000)}`,
    'license: *nowhere',
    'license:\n\t- mit',
    '<<: [*a]\ntags: &a [*a]',
    `tags:\n${'- x\n'.repeat(10_000)}`,
  ]);
  const cards: readonly Entry[] = [text(`---\n${yaml}\n---\n`), ...sizes.map((holes) => ({ holes }))];
  folder.set('README.md', pick([...cards, { link: pick(targets) }]));
};

/** What lies beside a model, or in place of it. */
const strangers: Change = (folder, pick) => {
  const bomb = text('cos\nsystem\n(S"touch executed"\ntR.');
  folder.set(pick(['pytorch_model.bin', 'model.joblib', 'modeling_x.py', 'handler.py', 'setup.py']), bomb);
  folder.delete(pick(['model.safetensors', 'config.json', 'tokenizer.json', '1_Pooling/config.json']));
  folder.set(pick(['adapter_config.json', 'notes.txt', 'notes.txt', 'model_index.json']), text('{}'));
};

const changes: readonly Change[] = [
  ...[valueChange, valueChange, keyChange, jsonBomb, links, headerLie, indexLie, tokenizerBomb],
  ...[cardBomb, strangers],
];

function putEntry(path: string, entry: Entry): void {
  mkdirSync(dirname(path), { recursive: true });
  if ('link' in entry) symlinkSync(entry.link, path);
  else if ('text' in entry) writeFileSync(path, entry.text);
  else {
    const file = openSync(path, 'w');
    writeSync(file, entry.head ?? Buffer.from('{"a":'));
    ftruncateSync(file, entry.holes);
    closeSync(file);
  }
}

/** Writes the hostile folder of a number: the same each time. */
export function putHostile(folder: string, turn: number): void {
  const next = createRandom(turn * 7919 + 1);
  const pick: Pick = (items) => items[Math.floor(next() * items.length)] as (typeof items)[number];
  const base = bases[turn % bases.length] ?? bases[0];
  const made = base?.() ?? new Map<string, Entry>();
  const times = 1 + (turn % 3 === 0 ? 1 : 0);
  for (let at = 0; at < times; at += 1) changes[(turn + at * 3) % changes.length]?.(made, pick, next);
  rmSync(folder, { recursive: true, force: true });
  for (const [name, entry] of made) putEntry(join(folder, name), entry);
}
