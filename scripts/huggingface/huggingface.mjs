import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, needs } from '../lib/bootstrap.mjs';
import { main } from '../lib/main.mjs';
import { say, SetupError } from '../lib/say.mjs';
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
import { checkHub } from './hub-checks.mjs';
import { costHead, writePart } from './page.mjs';
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
  --out FILE   also write the tables between their marks in this page, as docs/huggingface.md has them: those of tensors, of --pipelines or of
               --cost; a missing file gets only them. Not with NAME or --quick, which leave some out.

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

/** Throws where a page is asked for and not all of it is run. */
function optionsOf(args) {
  const at = args.indexOf('--out');
  const out = at === -1 ? undefined : args[at + 1];
  if (at !== -1 && (out === undefined || out.startsWith('--')))
    throw new SetupError('--out needs a file: docs/huggingface.md, for example.');
  const names = args.filter((arg, index) => !arg.startsWith('--') && (at === -1 || index !== at + 1));
  const isQuick = args.includes('--quick');
  if (out !== undefined && (isQuick || names.length > 0))
    throw new SetupError('--out writes the tables of all folders: leave out NAME and --quick.');
  return { out, names, isQuick };
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { out, names, isQuick } = optionsOf(args);
  const { layout, home } = await bootstrap(needs.huggingFace, { packages: ['window'], purpose: 'Testing' });
  const all = { ...layout, home };
  const own = ownHome(all);
  try {
    if (args.includes('--pipelines')) {
      const found = await runPipelines(all, own, names);
      if (out !== undefined) writePart(out, 'pipelines', found);
      return ended([...found.served, ...found.generated, ...found.caught]);
    }
    if (args.includes('--cost')) {
      const rows = await pipelineCosts(all, own, names);
      say(tableOf(costHead, rows));
      if (out !== undefined) writePart(out, 'cost', rows);
      return 0;
    }
    const { rows, ofHub } = await runTensors(all, own, { given: names, isQuick });
    if (out !== undefined) writePart(out, 'tensors', rows);
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
