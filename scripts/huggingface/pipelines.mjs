import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../lib/layout.mjs';
import { say } from '../lib/say.mjs';
import { cli, documentOf, largestDifference, makeFolders, rateOf, reasonOf, short } from './folders.mjs';
import { generating, generationFaults, runGeneration, shortStream } from './generation.mjs';
import { faultyMedia, mediaFaultsOf, mediaPipelines } from './media-faults.mjs';
import { shortSpeech, speaking, speechFaults } from './speech.mjs';

/** Folders whose task has a pipeline: classes of texts, spans, vectors of sentences, answers, words for a mask, images, audio, speech. */
const pipelines = [
  ...['bert-text', 'roberta-text', 'electra-text', 'albert-text', 'deberta-v3-text'],
  ...['distilbert-tokens', 'xlm-roberta-tokens', 'deberta-tokens', 'minilm-sentences'],
  ...['bert-questions', 'xlm-roberta-questions', 'roberta-mask'],
  ...mediaPipelines,
  ...speaking,
];

/** Of a model that is served as tensors: its activations are too large for fp16. */
const overflow = 'bert-overflow';

const edited = (file, change) => writeFileSync(file, change(readFileSync(file, 'utf8')));
const editedJson = (file, change) =>
  edited(file, (text) => {
    const value = JSON.parse(text);
    change(value);
    return JSON.stringify(value);
  });

const stepFile = (models, name, step, file) => join(models, `${name}-${step}`, '1', file);

/** Ids of the words in another order, as of a tokenizer that was trained again; special tokens keep theirs. */
function reorderWords(tokenizer) {
  const special = new Set(tokenizer.added_tokens.map(({ content }) => content));
  const { model } = tokenizer;
  if (Array.isArray(model.vocab)) {
    const first = special.size;
    model.vocab = [...model.vocab.slice(0, first), ...model.vocab.slice(first).reverse()];
    return;
  }
  const words = Object.keys(model.vocab).filter((word) => !special.has(word));
  const ids = words.map((word) => model.vocab[word]).reverse();
  for (const [place, word] of words.entries()) model.vocab[word] = ids[place];
}

/** What people ship by mistake: each changes one file of a written pipeline. */
const faults = {
  'attention mask dropped': (models, name) =>
    edited(stepFile(models, name, 'tokenizer', 'model.py'), (text) =>
      text.replace('lambda encoding: encoding.attention_mask', 'lambda encoding: [1] * len(encoding.ids)'),
    ),
  'padding on the other side': (models, name) =>
    editedJson(stepFile(models, name, 'tokenizer', 'tokenizer.json'), ({ padding }) => {
      padding.direction = padding.direction === 'Right' ? 'Left' : 'Right';
    }),
  'tokenizer of another revision': (models, name) =>
    editedJson(stepFile(models, name, 'tokenizer', 'tokenizer.json'), reorderWords),
  'texts cut four tokens early': (models, name) =>
    editedJson(stepFile(models, name, 'tokenizer', 'tokenizer.json'), ({ truncation }) => {
      truncation.max_length -= 4;
    }),
  'labels shifted by one': (models, name) =>
    editedJson(stepFile(models, name, 'labels', 'labels.json'), ({ labels }) => {
      labels.push(labels.shift());
    }),
  'tokens shifted by one': (models, name) =>
    editedJson(stepFile(models, name, 'tokens', 'tokens.json'), ({ tokens }) => {
      tokens.push(tokens.shift());
    }),
  'places in bytes': (models, name) =>
    edited(stepFile(models, name, 'answers', 'model.py'), (text) =>
      text.replace('score, begin, finish)', 'score, *(len(text[:at].encode()) for at in (begin, finish)))'),
    ),
};

/** Of one task each; others are of all. */
const faultsOfTask = {
  'labels shifted by one': ['bert-text', 'distilbert-tokens'],
  'tokens shifted by one': ['roberta-mask'],
  'places in bytes': ['bert-questions'],
  // RoBERTa counts positions without the padding: its answers are the same.
  'padding on the other side': ['bert-text', 'distilbert-tokens', 'minilm-sentences', 'bert-questions'],
};

/** One of each task. */
const faulty = [
  'llama',
  'bert-text',
  'distilbert-tokens',
  'minilm-sentences',
  'bert-questions',
  'roberta-mask',
  ...faultyMedia,
  ...speaking,
];

/** The folder that `run --serve pipeline` wrote into the home. */
const written = (home, name) =>
  join(
    home,
    'pipelines',
    readdirSync(join(home, 'pipelines')).find((one) => one.startsWith(`${name}-`)),
  );

function faultsOf(home, name) {
  if (mediaPipelines.includes(name)) return mediaFaultsOf(join(written(home, name), 'models'), name);
  if (speaking.includes(name)) return speechFaults(reorderWords);
  return generating.includes(name) ? generationFaults({ edited, editedJson, reorderWords }) : faults;
}

function howShort(name) {
  if (speaking.includes(name)) return shortSpeech;
  return generating.includes(name) ? [...shortStream, '--protocol', 'grpc'] : short;
}

async function runFaults(home, name) {
  const rows = [];
  const planted = faultsOf(home, name);
  for (const [fault, plant] of Object.entries(planted)) {
    if (planted === faults && faultsOfTask[fault]?.includes(name) === false) continue;
    const copy = join(home, `faulty-${name}`);
    cpSync(written(home, name), copy, { recursive: true });
    plant(join(copy, 'models'), name);
    const flags = ['--golden', join(copy, 'golden.json'), '--trust', ...howShort(name)];
    const ended = await cli(home, ['run', join(copy, 'models', name), ...flags]);
    const document = documentOf(ended);
    const isCaught = ended.code !== 0 && document?.accuracy?.passed === false;
    rows.push({
      isRight: isCaught,
      cells: [name, fault, isCaught ? 'yes' : 'no', reasonOf(document, ended)],
    });
    say(rows.at(-1).cells.join(' | '));
    rmSync(copy, { recursive: true });
  }
  return rows;
}

/** A folder that passes in fp32, and has to fail in fp16. */
async function runOverflow(layout, home) {
  const folders = join(home, 'overflow');
  await makeFolders(layout, folders, [overflow]);
  const ways = [];
  for (const precision of ['fp32', 'fp16']) {
    const flags = ['--format', 'onnx', '--precision', precision, ...short];
    const ended = await cli(home, ['run', join(folders, overflow), ...flags]);
    ways.push({ ended, document: documentOf(ended) });
  }
  const [whole, half] = ways;
  const isRight = whole.document?.accuracy?.passed === true && half.document?.accuracy?.passed === false;
  const reason = isRight ? reasonOf(half.document, half.ended) : reasonOf(whole.document, whole.ended);
  const cells = [overflow, 'fp16 overflow (as tensors)', isRight ? 'yes' : 'no', reason];
  say(cells.join(' | '));
  return { isRight, cells };
}

/** From the folder to the report. */
async function runServed(home, folder, name) {
  const ended = await cli(home, ['run', folder, '--serve', 'pipeline', ...howShort(name)]);
  const document = documentOf(ended);
  const isRight = ended.code === 0 && document?.accuracy?.passed === true;
  const gate = isRight ? 'passed' : 'failed';
  const ties = /not compared: (\d+) (?:text|image|recording)/.exec(ended.stderr)?.[1] ?? '0';
  const cells = [name, gate, largestDifference(document), ties, rateOf(document), reasonOf(document, ended)];
  return { isRight, cells };
}

/** Each pipeline from the folder to its report, and planted faults, each of which its gate has to catch. */
export async function runPipelines(layout, home, names) {
  const folders = join(home, 'folders');
  const texts = join(repoRoot, 'resources', 'huggingface', 'texts.txt');
  const asked = names.length === 0 ? [...pipelines, ...generating, overflow] : names;
  const [served, generated, caught] = [[], [], []];
  if (asked.includes(overflow)) caught.push(await runOverflow(layout, home));
  const ofTexts = asked.filter((name) => name !== overflow);
  for (const name of ofTexts.length === 0 ? [] : await makeFolders(layout, folders, ofTexts, texts)) {
    if (generating.includes(name)) {
      const found = await runGeneration(home, join(folders, name), name);
      generated.push(found);
      say(found.cells.join(' | '));
      if (found.isRight && faulty.includes(name)) caught.push(...(await runFaults(home, name)));
      continue;
    }
    const found = await runServed(home, join(folders, name), name);
    served.push(found);
    say(found.cells.join(' | '));
    if (found.isRight && faulty.includes(name)) caught.push(...(await runFaults(home, name)));
  }
  return { served, generated, caught };
}
