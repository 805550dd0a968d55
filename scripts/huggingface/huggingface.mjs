import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, needs } from '../lib/bootstrap.mjs';
import { repoRoot } from '../lib/layout.mjs';
import { main } from '../lib/main.mjs';
import { say, SetupError } from '../lib/say.mjs';
import { checkHub } from './hub-checks.mjs';

const help = `Usage: npm run test:huggingface -- [--out FILE] [--quick] [NAME …]

Makes a small Hugging Face folder with random weights for each architecture that the workbench exports, and takes each from the
folder to a report with the accuracy gate: as ONNX in fp32 and fp16. Then tries models of the hub (hf:ORG/NAME) with huggingface_hub
against a local server that speaks its calls: sizes, cancelling, resuming, hashes, offline. Takes half an hour.

  NAME        only these folders; "hub": the models of the hub
  --quick     only ONNX in fp32
  --out FILE  also write the table as a page to this file (docs/huggingface.md)

Exit code 1: an export, a gate or a check of the hub failed. In fp16 that of T5 does: its values are too large for it.`;

const ways = [
  ['onnx', 'fp32'],
  ['onnx', 'fp16'],
];

const short = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1,4', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

/** Resolves with exit code and output. @param interruptWhen Ctrl-C once it is true; absent: never */
function run(program, args, env, { interruptWhen } = {}) {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd: repoRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = ['', ''];
    child.stdout.on('data', (chunk) => (texts[0] += chunk));
    child.stderr.on('data', (chunk) => (texts[1] += chunk));
    const poll =
      interruptWhen === undefined
        ? undefined
        : setInterval(() => {
            if (!interruptWhen()) return;
            clearInterval(poll);
            child.kill('SIGINT');
          }, 100);
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(poll);
      done({ code, stdout: texts[0], stderr: texts[1] });
    });
  });
}

/** A home of its own for the runs, with the tools of the real one. */
function ownHome(layout) {
  const home = mkdtempSync(join(tmpdir(), 'workbench-huggingface-'));
  for (const name of ['python', 'transformers', 'triton', 'perf-analyzer', 'electron']) {
    symlinkSync(join(layout.home, name), join(home, name));
  }
  return home;
}

async function makeFolders(layout, directory, names) {
  mkdirSync(directory);
  const script = join(repoRoot, 'scripts', 'huggingface', 'make_folders.py');
  const env = { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const made = await run(layout.transformers, [script, directory, ...names], env);
  if (made.code !== 0) throw new SetupError(`The folders were not made:\n${made.stderr}`);
  return made.stdout.trim().split('\n');
}

const scientific = (value) => (typeof value === 'number' ? value.toExponential(1) : '–');

/** Of the compared outputs and requests the worst one. */
function largestDifference({ accuracy }) {
  const all = [...(accuracy?.outputs ?? []), ...(accuracy?.batches ?? [])];
  const found = all.flatMap(({ maxAbsDiff }) => (typeof maxAbsDiff === 'number' ? [maxAbsDiff] : []));
  return found.length === 0 ? null : Math.max(...found);
}

/** null where it failed before there was a run. */
function documentOf({ stdout }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

const reasonOf = (document, { code, stderr }) =>
  code === 0
    ? ''
    : String(
        document?.accuracy?.reasons[0] ?? document?.error?.message ?? stderr.trim().split('\n').at(-1),
      ).slice(0, 200);

function rowOf(name, format, precision, ended) {
  const document = documentOf(ended);
  const base = { name, format, precision, code: ended.code, reason: reasonOf(document, ended) };
  if (document === null)
    return { ...base, exported: false, passed: false, difference: null, throughput: null };
  const rates = document.offline.map(({ inferencesPerSecond }) => inferencesPerSecond);
  return {
    ...base,
    exported: document.steps.some(({ id, status }) => id === 'export' && status === 'done'),
    passed: document.accuracy?.passed === true,
    difference: largestDifference(document),
    throughput: rates.length === 0 ? null : Math.max(...rates),
  };
}

function lineOf({ name, format, precision, exported, passed, difference, throughput, reason }) {
  const rate = throughput === null ? '–' : Math.round(throughput).toLocaleString('en-US');
  const gate = passed ? 'passed' : exported ? 'failed' : '–';
  return `| ${name} | ${format} | ${precision} | ${exported ? 'yes' : 'no'} | ${gate} | ${scientific(difference)} | ${rate} | ${reason.replaceAll('|', '/')} |`;
}

const pageOf = (table) => `# Hugging Face folders, by architecture

Written by \`npm run test:huggingface -- --out docs/huggingface.md\`, ${new Date().toISOString().slice(0, 10)}: a small folder of each architecture with random
weights (two layers, 32 wide), from the folder to a report on a CPU. The gate compares Triton with the framework, each sample
without its padding, one by one and in batches of mixed lengths. The largest difference is over all outputs and batch sizes. The
rate is of the smallest model of its kind: it says that the way works, not how fast a real model is.

${table}
`;

const sayCheck = ({ what, passed, reason }) => say(passed ? `✓ ${what}` : `✗ ${what}: ${reason}`);

/** "hub" is a lane, any other name a folder. */
function chosenOf(args) {
  const given = args.filter((arg) => !arg.startsWith('--'));
  const names = given.filter((name) => name !== 'hub');
  const isAll = given.length === 0;
  return { names, triesFolders: isAll || names.length > 0, triesHub: isAll || given.includes('hub') };
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const at = args.indexOf('--out');
  const out = at === -1 ? undefined : args[at + 1];
  const { names, triesFolders, triesHub } = chosenOf(
    args.filter((_arg, index) => at === -1 || index !== at + 1),
  );
  const { layout, home } = await bootstrap(needs.huggingFace, { packages: ['window'], purpose: 'Testing' });
  const own = ownHome({ ...layout, home });
  const rows = [];
  let ofHub = [];
  try {
    const folders = join(own, 'folders');
    const made = await makeFolders(layout, folders, triesFolders ? names : ['bert-text']);
    const env = { ...process.env, TRITON_WORKBENCH_HOME: own, XDG_CONFIG_HOME: join(own, 'no-config') };
    const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
    for (const name of triesFolders ? made : []) {
      for (const [format, precision] of args.includes('--quick') ? ways.slice(0, 1) : ways) {
        const flags = ['--format', format, '--precision', precision, ...short];
        const ended = await run(process.execPath, [cli, 'run', join(folders, name), ...flags], env);
        rows.push(rowOf(name, format, precision, ended));
        say(lineOf(rows.at(-1)));
      }
    }
    if (triesHub) {
      const start = (words, more, how) => run(process.execPath, [cli, ...words], { ...env, ...more }, how);
      ofHub = await checkHub({ own, folder: join(folders, made[0]), short, cli: start });
      ofHub.forEach(sayCheck);
    }
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  const table = [
    '| folder | format | precision | exported | gate | largest difference | inferences/s | |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
  ].join('\n');
  if (out !== undefined) writeFileSync(out, pageOf(table));
  const all = [...rows.map(({ code }) => code === 0), ...ofHub.map(({ passed }) => passed)];
  const passed = all.filter((isPassed) => isPassed).length;
  say(`${passed} passed, ${all.length - passed} failed`);
  return passed === all.length ? 0 : 1;
});
