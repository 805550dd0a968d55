import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, needs } from '../lib/bootstrap.mjs';
import { main } from '../lib/main.mjs';
import { say } from '../lib/say.mjs';
import {
  cli,
  documentOf,
  largestDifference,
  makeFolders,
  ownHome,
  rateOf,
  reasonOf,
  short,
  tableOf,
} from './folders.mjs';
import { generationHead } from './generation.mjs';
import { checkHub } from './hub-checks.mjs';
import { pipelineCosts } from './pipeline-cost.mjs';
import { runPipelines } from './pipelines.mjs';

const help = `Usage: npm run test:huggingface -- [--out FILE] [--quick | --pipelines | --cost] [NAME …]

Makes a small Hugging Face folder with random weights for each architecture that the workbench exports, and takes each from the
folder to a report with the accuracy gate: as ONNX in fp32 and fp16. Then tries models of the hub (hf:ORG/NAME) with huggingface_hub
against a local server that speaks its calls: sizes, cancelling, resuming, hashes, offline. Takes an hour and a half.

  NAME         only these folders; "hub": the models of the hub
  --quick      only ONNX in fp32
  --pipelines  in place of it, serves those with texts, images and audio as pipelines, and plants faults that the gate has to catch ("bert-overflow": in fp16). Takes half an hour.
  --cost       measures what a pipeline costs beside tensors with the tokenizer of transformers in the client, in turns. Takes five minutes.
  --out FILE   also write the tables as a page to this file (docs/huggingface.md, with --pipelines docs/huggingface-pipelines.md)

Exit code 1: an export, a gate or a check of the hub failed, or a fault was not caught. In fp16 the gate of T5 fails: its values are too large for it.`;

const ways = [
  ['onnx', 'fp32'],
  ['onnx', 'fp16'],
];

function rowOf(name, format, precision, ended) {
  const document = documentOf(ended);
  const isExported = document?.steps.some(({ id, status }) => id === 'export' && status === 'done') === true;
  const isPassed = document?.accuracy?.passed === true;
  const gate = isPassed ? 'passed' : isExported ? 'failed' : '–';
  const found = [isExported ? 'yes' : 'no', gate, largestDifference(document), rateOf(document)];
  return { isRight: ended.code === 0, cells: [name, format, precision, ...found, reasonOf(document, ended)] };
}

const date = () => new Date().toISOString().slice(0, 10);

const pageOf = (rows) => `# Hugging Face folders, by architecture

Written by \`npm run test:huggingface -- --out docs/huggingface.md\`, ${date()}: a small folder of each architecture with random
weights (two layers, 32 wide), from the folder to a report on a CPU. The gate compares Triton with the framework, each sample
without its padding, one by one and in batches of mixed lengths. The largest difference is over all outputs and batch sizes. The
rate is of the smallest model of its kind: it says that the way works, not how fast a real model is.

${tableOf(
  ['folder', 'format', 'precision', 'exported', 'gate', 'largest difference', 'inferences/s', ''],
  rows.map(({ cells }) => cells),
)}
`;

const pipelinePageOf = ({ served, generated, caught }) => `# Pipelines of Hugging Face folders

Written by \`npm run test:huggingface -- --pipelines --out docs/huggingface-pipelines.md\`, ${date()}: small folders with random
weights and tokenizers that were learned from 22 texts, served with \`run FOLDER --serve pipeline\` on a CPU. The gate compares the
pipeline with transformers in fp32, each text without padding: one by one, in batches of eight and of three with mixed lengths, and one
text that is too long; and on 20 images or 16 recordings, one by one and in batches of one size or length. Ties are samples whose labels
are closer to each other than the tolerance. The classes of the detectors are drawn apart, so that random weights find some objects.

${tableOf(
  ['folder', 'gate', 'largest difference', 'ties', 'inferences/s', ''],
  served.map(({ cells }) => cells),
)}

## Models that generate

The reference is the greedy text of transformers, 24 tokens or to the end of the text, each prompt by itself. Triton is asked for whole
answers and for answers in pieces, which have to be the same text. Ties are texts whose best two tokens are anywhere closer to each
other than the tolerance. The times are of answers of 16 tokens, one request after the other, by the smallest models of their kind.

${tableOf(
  generationHead,
  generated.map(({ cells }) => cells),
)}

## Planted faults

Each is one changed file of a written pipeline, run again against the same reference.

${tableOf(
  ['folder', 'fault', 'caught by the gate', 'first reason'],
  caught.map(({ cells }) => cells),
)}
`;

const sayCheck = ({ what, passed, reason }) => say(passed ? `✓ ${what}` : `✗ ${what}: ${reason}`);

/** "hub" is a lane, any other name a folder. */
function chosenOf(given) {
  const names = given.filter((name) => name !== 'hub');
  const isAll = given.length === 0;
  return { names, triesFolders: isAll || names.length > 0, triesHub: isAll || given.includes('hub') };
}

async function runTensors(layout, home, { given, isQuick }) {
  const rows = [];
  const folders = join(home, 'folders');
  const { names, triesFolders, triesHub } = chosenOf(given);
  const made = await makeFolders(layout, folders, triesFolders ? names : ['bert-text']);
  for (const name of triesFolders ? made : []) {
    for (const [format, precision] of isQuick ? ways.slice(0, 1) : ways) {
      const flags = ['--format', format, '--precision', precision, ...short];
      rows.push(rowOf(name, format, precision, await cli(home, ['run', join(folders, name), ...flags])));
      say(`| ${rows.at(-1).cells.join(' | ')} |`);
    }
  }
  if (!triesHub) return { rows, ofHub: [] };
  const start = (words, more, how) => cli(home, words, more, how);
  const ofHub = await checkHub({ own: home, folder: join(folders, made[0]), short, cli: start });
  ofHub.forEach(sayCheck);
  return { rows, ofHub };
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const at = args.indexOf('--out');
  const out = at === -1 ? undefined : args[at + 1];
  const names = args.filter((arg, index) => !arg.startsWith('--') && (at === -1 || index !== at + 1));
  const { layout, home } = await bootstrap(needs.huggingFace, { packages: ['window'], purpose: 'Testing' });
  const all = { ...layout, home };
  const own = ownHome(all);
  try {
    if (args.includes('--pipelines')) {
      const found = await runPipelines(all, own, names);
      if (out !== undefined) writeFileSync(out, pipelinePageOf(found));
      return ended([...found.served, ...found.generated, ...found.caught]);
    }
    if (args.includes('--cost')) {
      const rows = await pipelineCosts(all, own, names);
      say(tableOf(['folder', 'batch', 'step', 'tensors, ms', 'pipeline, ms', 'more, ms'], rows));
      return 0;
    }
    const { rows, ofHub } = await runTensors(all, own, { given: names, isQuick: args.includes('--quick') });
    if (out !== undefined) writeFileSync(out, pageOf(rows));
    return ended([...rows, ...ofHub.map(({ passed }) => ({ isRight: passed }))]);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

function ended(rows) {
  const right = rows.filter(({ isRight }) => isRight).length;
  say(`${right} passed, ${rows.length - right} failed`);
  return right === rows.length ? 0 : 1;
}
