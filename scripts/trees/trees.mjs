import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bootstrap, needs } from '../lib/bootstrap.mjs';
import { repoRoot } from '../lib/layout.mjs';
import { main } from '../lib/main.mjs';
import { say, SetupError } from '../lib/say.mjs';

const help = `Usage: npm run test:trees -- [--out FILE] [--rows N] [NAME …]

Trains a model of each objective and estimator that the workbench exports, of XGBoost, LightGBM and scikit-learn, and takes each from
its file to a report: the accuracy gate compares N rows (100,000) of the library with Triton. Takes half an hour.

  NAME        only these models
  --rows N    rows that are compared
  --out FILE  also write the table as a page to this file (docs/trees.md)

Exit code 1: an export or a gate failed, or more than one row in a thousand differs.`;

/** Of rows that differ, all must lie within the rounding of a threshold, and be at most so many. */
const mostDiffering = 0.001;

const short = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300', '--max-batch-size', '1000'],
];

/** Resolves with exit code and output. */
function run(program, args, env) {
  return new Promise((done, reject) => {
    const child = spawn(program, args, { cwd: repoRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = ['', ''];
    child.stdout.on('data', (chunk) => (texts[0] += chunk));
    child.stderr.on('data', (chunk) => (texts[1] += chunk));
    child.once('error', reject);
    child.once('close', (code) => done({ code, stdout: texts[0], stderr: texts[1] }));
  });
}

/** A home of its own for the runs, with the tools of the real one. */
function ownHome(layout) {
  const home = mkdtempSync(join(tmpdir(), 'workbench-trees-'));
  for (const name of ['python', 'trees', 'triton', 'perf-analyzer', 'electron']) {
    symlinkSync(join(layout.home, name), join(home, name));
  }
  return home;
}

const script = (name) => join(repoRoot, 'scripts', 'trees', name);

async function python(layout, args) {
  const path = join(repoRoot, 'resources');
  const env = { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' };
  const ended = await run(layout.trees, args, env);
  if (ended.code !== 0) throw new SetupError(`${basename(args[0])} failed:\n${ended.stderr}`);
  return ended.stdout.trim().split('\n');
}

/** null where it failed before there was a run. */
function documentOf({ stdout }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

const largest = (values) => (values.length === 0 ? null : Math.max(...values));

/** Why a model is not good, as far as something said so. */
const reasonOf = (checked, document, { stderr }) =>
  checked.error ??
  document?.accuracy?.reasons[0] ??
  document?.error?.message ??
  stderr.trim().split('\n').at(-1);

/** Figures of the report; none where there is none. */
function figuresOf(document) {
  const { accuracy, offline = [] } = document ?? {};
  const outputs = (accuracy?.outputs ?? []).filter(({ output }) => output !== 'label');
  return {
    rows: accuracy?.sampleCount ?? 0,
    passed: accuracy?.passed === true,
    difference: largest(outputs.map(({ maxAbsDiff }) => maxAbsDiff ?? 0)),
    rate: largest(offline.map(({ inferencesPerSecond }) => inferencesPerSecond)),
  };
}

function rowOf(file, checked, ended) {
  const document = documentOf(ended);
  const isFew = checked.beyond <= mostDiffering * checked.rows && checked.near === checked.beyond;
  const isGood = ended.code === 0 && checked.error === undefined && isFew;
  return {
    ...{ file, checked, isGood },
    ...figuresOf(document),
    reason: isGood ? '' : String(reasonOf(checked, document, ended)).slice(0, 200),
  };
}

const scientific = (value) => (typeof value === 'number' ? value.toExponential(1) : '–');

function lineOf({ file, checked, rows, passed, difference, rate, reason }) {
  const cells = [
    file,
    checked.missing ? 'yes' : 'no',
    rows.toLocaleString('en-US'),
    passed ? 'passed' : 'failed',
    scientific(difference),
    checked.beyond ?? '–',
    checked.near ?? '–',
    rate === null ? '–' : Math.round(rate).toLocaleString('en-US'),
    reason.replaceAll('|', '/'),
  ];
  return `| ${cells.join(' | ')} |`;
}

const pageOf = (table) => `# Tree models and pipelines, by objective and estimator

Written by \`npm run test:trees -- --out docs/trees.md\`, ${new Date().toISOString().slice(0, 10)}: a model of each objective and estimator, trained on generated rows with
numbers, categories and missing values, taken from its file to a report on a CPU. The gate compares the library with Triton on float32 rows
around the thresholds of the model, within 1e-5 (absolute and relative). "Beyond" counts rows where the library and ONNX Runtime
differ by more. "Near" counts those of them that are at a threshold (the library itself gives ONNX Runtime's answer for a row that is four units in
the last place of float32 away), or whose two most probable classes are equally likely. At most one row in a thousand may be beyond.

${table}
`;

function readArguments(args) {
  const valueOf = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const taken = ['--out', '--rows'].map(valueOf);
  const names = args.filter((arg) => !arg.startsWith('--') && !taken.includes(arg));
  return { out: taken[0], rows: Number(taken[1] ?? 100_000), names };
}

await main(async (args) => {
  if (args.includes('--help') || args.includes('-h')) {
    say(help);
    return 0;
  }
  const { out, rows: count, names } = readArguments(args);
  const { layout, home } = await bootstrap(needs.trees, { packages: ['window'], purpose: 'Testing' });
  const own = ownHome({ ...layout, home });
  const rows = [];
  try {
    const folder = join(own, 'models');
    mkdirSync(folder);
    const files = (await python(layout, [script('make_models.py'), folder, ...names])).map((name) =>
      join(folder, name),
    );
    const checked = await python(layout, [script('check_rows.py'), String(count), ...files]);
    const env = { ...process.env, TRITON_WORKBENCH_HOME: own, XDG_CONFIG_HOME: join(own, 'no-config') };
    const cli = join(repoRoot, 'out', 'main', 'cli.cjs');
    for (const [index, file] of files.entries()) {
      const samples = ['--set', `model.args.samples=${count}`];
      const ended = await run(process.execPath, [cli, 'run', file, ...samples, ...short], env);
      rows.push(rowOf(basename(file), JSON.parse(checked[index]), ended));
      say(lineOf(rows.at(-1)));
    }
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  const table = [
    '| file | missing values | rows on Triton | gate | largest difference | beyond | near | inferences/s | |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
  ].join('\n');
  if (out !== undefined) writeFileSync(out, pageOf(table));
  const good = rows.filter(({ isGood }) => isGood).length;
  say(`${good} passed, ${rows.length - good} failed`);
  return good === rows.length ? 0 : 1;
});
