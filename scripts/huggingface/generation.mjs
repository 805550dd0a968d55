import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, documentOf, reasonOf } from './folders.mjs';

/** Folders whose pipeline generates: first those that continue a text, then those with an encoder. */
export const generating = ['gpt2', 'llama', 'mistral', 'qwen2', 't5', 'bart'];

/** Of a stream each level is one request after the other: a model has one instance. */
export const shortStream = [
  ...['--profile', 'quick', '--json', '--concurrency', '1'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '1000'],
];

const modelFile = (models, name, ...file) => join(models, name, '1', ...file);

/** Zeros in place of one matrix of the first layer, as after a conversion that left it out. */
function dropMatrix(file) {
  const bytes = readFileSync(file);
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, begin).toString('utf8'));
  const [, { data_offsets: place }] = Object.entries(header).find(
    ([name, { shape }]) => /\.0\..*(mlp|fc|wi|wo)/.test(name) && shape?.length === 2,
  );
  bytes.fill(0, begin + place[0], begin + place[1]);
  writeFileSync(file, bytes);
}

/**
 * What people ship by mistake with a generating model: each changes one file of a written pipeline.
 * @param how `edited` and `editedJson` change a file, `reorderWords` a tokenizer
 */
export const generationFaults = ({ edited, editedJson, reorderWords }) => ({
  'a matrix of the weights left out': (models, name) =>
    dropMatrix(modelFile(models, name, 'model', 'model.safetensors')),
  'tokenizer of another revision': (models, name) =>
    editedJson(modelFile(models, name, 'model', 'tokenizer.json'), reorderWords),
  'characters cut between tokens': (models, name) =>
    edited(modelFile(models, name, 'model.py'), (text) =>
      text.replace('text.endswith("\\ufffd") and not is_last', 'False'),
    ),
});

const ms = (spread) => (spread === null || spread === undefined ? '–' : (spread.p50Us / 1000).toFixed(1));

/** A folder from its files to its report. */
export async function runGeneration(home, folder, name) {
  const ended = await cli(home, ['run', folder, '--serve', 'pipeline', ...shortStream]);
  const document = documentOf(ended);
  const isRight = ended.code === 0 && document?.accuracy?.passed === true;
  const numberOf = (pattern) => pattern.exec(ended.stderr)?.[1] ?? '0';
  const { streaming } = document?.offline?.[0] ?? {};
  const cells = [
    ...[name, isRight ? 'passed' : 'failed', numberOf(/: (\d+) requests, whole and in pieces/)],
    ...[numberOf(/not compared: (\d+) text/), ms(streaming?.firstResponse), ms(streaming?.interResponse)],
    ...[streaming === undefined ? '–' : Math.round(streaming.responsesPerSecond), reasonOf(document, ended)],
  ];
  return { isRight, cells };
}

export const generationHead = [
  ...['folder', 'gate', 'requests', 'ties', 'first piece, ms', 'between pieces, ms', 'pieces/s', ''],
];
