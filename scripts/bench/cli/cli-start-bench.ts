import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { homeLayout } from '../../../main/platform/layout';
import { option } from '../option';
import { median, pairedText } from '../pairs';
import { ordinaryRuns, prepareHome } from '../window/bench-homes';
import { formatMs, machineRows } from '../window/cold-start';

const cli = option('cli', '');
const outFile = option('out', '');
const pairs = Number(option('pairs', '20'));
const runCount = Number(option('runs', '20'));
/** Of an empty script on the same runtime. */
const mostRatio = 2.5;

const verbs = [
  ['--version'],
  ['--help'],
  ['run', '--help'],
  ['runs'],
  ['show', 'latest'],
  ['spec', 'resnet50'],
  ['presets'],
  ['settings'],
  ['studies', 'list'],
] as const;

const execute = promisify(execFile);
const home = await prepareHome(option('home', ''), ordinaryRuns(runCount));
await mkdir(homeLayout(home).cache, { recursive: true, mode: 0o700 });
const empty = join(home, 'empty.cjs');
await writeFile(empty, '');
const env = { ...process.env, TRITON_WORKBENCH_HOME: home, XDG_CONFIG_HOME: join(home, 'no-config') };

/** @returns milliseconds from start to end */
async function startMs(words: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  await execute(process.execPath, words, { env, maxBuffer: 2 ** 24 });
  return performance.now() - startedMs;
}

async function measure(words: readonly string[]) {
  const [own, bare]: [number[], number[]] = [[], []];
  // What a first start keeps for the next ones: rows of the list and compiled code.
  for (let warm = 0; warm < 2; warm += 1) await startMs([cli, ...words]);
  for (let pair = 0; pair < pairs; pair += 1) {
    const sides = [
      async () => own.push(await startMs([cli, ...words])),
      async () => bare.push(await startMs([empty])),
    ];
    // The first of a pair by turns: a machine that drifts does so for both.
    for (const side of pair % 2 === 0 ? sides : sides.reverse()) await side();
  }
  const ratio = median(own.map((value, at) => value / (bare[at] ?? NaN)));
  return { words, own, bare, ratio };
}

const measured = [];
try {
  for (const words of verbs) measured.push(await measure(words));
} finally {
  await rm(home, { recursive: true, force: true });
}
const document = [
  '# How fast a command starts',
  '',
  'Written by `npm run bench -- cli-start`. Verbs that only read, on a home with finished runs, from the start of the process to its end, in turn with an',
  `empty script on the same runtime (Node ${process.versions.node}). Median, and the smallest and largest; the ratio is of pairs, with its 95 % interval.`,
  '',
  ...machineRows(),
  `| Runs in the home | ${runCount} |`,
  '',
  '| command | measured | empty script | ratio | at most |',
  '|---|---|---|---|---|',
  ...measured.map(
    ({ words, own, bare }) =>
      `| \`${words.join(' ')}\` | ${formatMs(own, 'starts')} | ${formatMs(bare, 'starts')} | ${pairedText(own, bare)} | ${mostRatio} |`,
  ),
  '',
].join('\n');
process.stdout.write(document);
if (outFile !== '') await writeFile(outFile, document);
const missed = measured.filter(({ ratio }) => ratio > mostRatio);
for (const { words } of missed) process.stdout.write(`Too slow: ${words.join(' ')}\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
