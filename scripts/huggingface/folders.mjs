import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoRoot } from '../lib/layout.mjs';
import { SetupError } from '../lib/say.mjs';

/** Options of a run that measures as shortly as possible. */
export const short = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1,4', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

/** Resolves with exit code and output. @param interruptWhen Ctrl-C once it is true; absent: never */
export function run(program, args, env, { interruptWhen } = {}) {
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

/** The command line with a home and further variables; resolves as `run`. */
export function cli(home, args, more = {}, how = {}) {
  const own = { TRITON_WORKBENCH_HOME: home, XDG_CONFIG_HOME: join(home, 'no-config') };
  const env = { ...process.env, ...own, ...more };
  return run(process.execPath, [join(repoRoot, 'out', 'main', 'cli.cjs'), ...args], env, how);
}

/** A home of its own for the runs, with the tools of the real one. */
export function ownHome(layout) {
  const home = mkdtempSync(join(tmpdir(), 'workbench-huggingface-'));
  for (const name of ['python', 'transformers', 'triton', 'perf-analyzer', 'electron']) {
    symlinkSync(join(layout.home, name), join(home, name));
  }
  return home;
}

/** @param texts file that tokenizers are learned from; absent: without tokenizers */
export async function makeFolders(layout, directory, names, texts) {
  mkdirSync(directory);
  const script = join(repoRoot, 'scripts', 'huggingface', 'make_folders.py');
  const env = { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const given = texts === undefined ? [] : ['--texts', texts];
  const made = await run(layout.transformers, [script, ...given, directory, ...names], env);
  if (made.code !== 0) throw new SetupError(`The folders were not made:\n${made.stderr}`);
  // Trainers of tokenizers print empty lines, too.
  return made.stdout.split('\n').filter((line) => line !== '');
}

/** null where it failed before there was a run. */
export function documentOf({ stdout }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

export const reasonOf = (document, { code, stderr }) =>
  code === 0
    ? ''
    : String(
        document?.accuracy?.reasons[0] ?? document?.error?.message ?? stderr.trim().split('\n').at(-1),
      ).slice(0, 200);

const scientific = (value) => (typeof value === 'number' ? value.toExponential(1) : '–');

/** Of the compared outputs and requests the worst one. */
export function largestDifference(document) {
  const { accuracy } = document ?? {};
  const all = [...(accuracy?.outputs ?? []), ...(accuracy?.batches ?? [])];
  const found = all.flatMap(({ maxAbsDiff }) => (typeof maxAbsDiff === 'number' ? [maxAbsDiff] : []));
  return scientific(found.length === 0 ? null : Math.max(...found));
}

/** Best rate of a run, as text. */
export function rateOf(document) {
  const rates = (document?.offline ?? []).map(({ inferencesPerSecond }) => inferencesPerSecond);
  return rates.length === 0 ? '–' : Math.round(Math.max(...rates)).toLocaleString('en-US');
}

export const tableOf = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '/')).join(' | ')} |`),
  ].join('\n');
