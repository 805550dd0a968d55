import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLimits } from '../../../main/contract/reader-limits';
import { filled, type Filling, inFiles, type LimitFile, mixed, type Titled, upToTwenty } from './at-limit';

const { bytes } = fileLimits.configPbtxt;

const start = 'name: "m"\nbackend: "onnxruntime"\nmax_batch_size: 8\n';
const input = (index: number) => `input { name: "i${index}" data_type: TYPE_FP32 dims: 3 }\n`;

const table: Readonly<Record<string, Filling>> = {
  'an input on each line': { head: start, piece: input },
  'one input of many dimensions': {
    head: `${start}input { name: "x" data_type: TYPE_FP32 dims: [`,
    piece: () => '1,',
    tail: '1] }\n',
  },
  parameters: {
    head: start,
    piece: (index) => `parameters { key: "p${index}" value { string_value: "x" } }\n`,
  },
  'one parameter again': {
    head: start,
    piece: () => 'parameters { key: "p" value { string_value: "x" } }\n',
  },
  'instance groups': { head: start, piece: () => 'instance_group { count: 1 kind: KIND_CPU }\n' },
  'one instance group on many GPUs': {
    head: `${start}instance_group { gpus: [`,
    piece: () => '0,',
    tail: '0] }\n',
  },
  'preferred batch sizes': {
    head: `${start}dynamic_batching { preferred_batch_size: [`,
    piece: () => '1,',
    tail: '1] }\n',
  },
  'one long name': { head: `${start}input { name: "`, piece: () => 'x', tail: '" }\n' },
  'a text that is not closed': { head: `${start}input { name: "`, piece: () => 'x' },
  escapes: { head: `${start}input { name: "`, piece: () => '\\001', tail: '" }\n', pad: 'x' },
  comments: { head: start, piece: () => '#\n' },
  blanks: { head: `${start}input`, piece: () => ' ', tail: '{}\n' },
  'opening braces': { head: start, piece: () => 'input {' },
  'opening brackets': { head: `${start}input `, piece: () => '[' },
  'a type that does not exist, at the end': {
    head: start,
    piece: input,
    tail: 'input { name: "x" data_type: TYPE_FP33 dims: 3 }\n',
  },
  'a text for a number, at the end': { head: start, piece: input, tail: 'input { name: "x" dims: "a" }\n' },
  'an unknown field on each line': { head: start, piece: (index) => `u${index}: 1\n` },
  'a number that does not fit, in each input': {
    head: start,
    piece: () => 'input { dims: 99999999999999999999 }\n',
  },
  'scalars again and again': { head: start, piece: () => 'max_batch_size: 8\n' },
};

const pieces = [
  ...[
    'input {',
    'output [{',
    '}',
    ']',
    '[',
    '{',
    'name: "x" ',
    'dims: 1 ',
    'dims: [1,2] ',
    ',',
    '\n',
    ' ',
    '#',
  ],
  ...[
    '"',
    "'",
    ':',
    'data_type: TYPE_FP32 ',
    'parameters { key: "a" value { string_value: "b" } }\n',
    '<',
    '>',
  ],
  ...['-1 ', '1e9 ', ';', 'instance_group {', 'optimization {', 'model_warmup {', '\\', '/', '\r\n'],
];

const pbtxtTexts = (random: () => number): readonly Titled[] =>
  upToTwenty(
    Object.entries(table).map(([what, filling]): Titled => [
      what,
      () => filled(bytes, { pad: '\n', ...filling }),
    ]),
    () => mixed(bytes, pieces, random, start),
  );

const more: Titled = ['one byte more', () => filled(bytes + 1, { head: start, piece: () => '#\n' })];

/** As a file that the window or the CLI is given for a specification. */
export const configFilesAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string) => ({ ask: 'text', path, fileName: 'config.pbtxt' }) as const;
  return [...inFiles(pbtxtTexts(random), 'config.pbtxt', job), ...inFiles([more], 'config.pbtxt', job, true)];
};

/** As a text that someone edits in the window. */
export const configEditsAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string) => ({ ask: 'configEdit', path }) as const;
  return [...inFiles(pbtxtTexts(random), 'config.pbtxt', job), ...inFiles([more], 'config.pbtxt', job, true)];
};

const versions = 2000;

export const repositoriesAtLimit = (random: () => number): LimitFile[] => {
  const job = (path: string, dir: string) =>
    ({ ask: 'reader', name: 'repository', path, input: { path: dir } }) as const;
  const texts = pbtxtTexts(random);
  return [
    ...inFiles(texts.slice(0, 19), 'config.pbtxt', job),
    {
      what: 'thousands of versions, each with a long number',
      async make(dir) {
        for (let version = 1; version <= versions; version += 1)
          await mkdir(join(dir, `${'9'.repeat(200)}${version}`));
        const path = join(dir, 'config.pbtxt');
        await writeFile(path, filled(bytes, { head: start, piece: () => '#\n' }));
        return job(path, dir);
      },
    },
    ...inFiles([more], 'config.pbtxt', job, true),
  ];
};
