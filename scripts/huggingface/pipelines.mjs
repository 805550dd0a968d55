import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '../lib/layout.mjs';
import { say } from '../lib/say.mjs';
import { cli, documentOf, largestDifference, makeFolders, rateOf, reasonOf, short } from './folders.mjs';
import { generating, generationFaults, runGeneration, shortStream } from './generation.mjs';

/** Folders whose task has a pipeline: classes of texts, spans, vectors of sentences. */
const pipelines = [
  ...['bert-text', 'roberta-text', 'electra-text', 'albert-text', 'deberta-v3-text'],
  ...['distilbert-tokens', 'xlm-roberta-tokens', 'deberta-tokens', 'minilm-sentences'],
];

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
};

/** By the model whose gate has to catch them, of what a generating one has. */
const faultsOf = (name) =>
  generating.includes(name) ? generationFaults({ edited, editedJson, reorderWords }) : faults;

/** One of each task, with positions that count from the begin of the row, so that the side of the padding matters. */
const faulty = ['bert-text', 'distilbert-tokens', 'minilm-sentences', 'llama'];

/** The folder that `run --serve pipeline` wrote into the home. */
const written = (home, name) =>
  join(
    home,
    'pipelines',
    readdirSync(join(home, 'pipelines')).find((one) => one.startsWith(`${name}-`)),
  );

async function runFaults(home, name) {
  const rows = [];
  for (const [fault, plant] of Object.entries(faultsOf(name))) {
    if (fault.startsWith('labels') && name.endsWith('-sentences')) continue;
    const copy = join(home, `faulty-${name}`);
    cpSync(written(home, name), copy, { recursive: true });
    plant(join(copy, 'models'), name);
    const how = generating.includes(name) ? [...shortStream, '--protocol', 'grpc'] : short;
    const flags = ['--golden', join(copy, 'golden.json'), '--trust', ...how];
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

/** Each pipeline from the folder to its report, and planted faults, each of which its gate has to catch. */
export async function runPipelines(layout, home, names) {
  const folders = join(home, 'folders');
  const texts = join(repoRoot, 'resources', 'huggingface', 'texts.txt');
  const asked = names.length === 0 ? [...pipelines, ...generating] : names;
  const [served, generated, caught] = [[], [], []];
  for (const name of await makeFolders(layout, folders, asked, texts)) {
    if (generating.includes(name)) {
      const found = await runGeneration(home, join(folders, name), name);
      generated.push(found);
      say(found.cells.join(' | '));
      if (found.isRight && faulty.includes(name)) caught.push(...(await runFaults(home, name)));
      continue;
    }
    const ended = await cli(home, ['run', join(folders, name), '--serve', 'pipeline', ...short]);
    const document = documentOf(ended);
    const isRight = ended.code === 0 && document?.accuracy?.passed === true;
    const gate = isRight ? 'passed' : 'failed';
    const ties = /not compared: (\d+) text/.exec(ended.stderr)?.[1] ?? '0';
    const cells = [
      name,
      gate,
      largestDifference(document),
      ties,
      rateOf(document),
      reasonOf(document, ended),
    ];
    served.push({ isRight, cells });
    say(cells.join(' | '));
    if (isRight && faulty.includes(name)) caught.push(...(await runFaults(home, name)));
  }
  return { served, generated, caught };
}
