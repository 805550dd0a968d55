import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuelAnswer } from '../../../main/domain/study/duel/duel-answer';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { exitCodeOf, factTable, type Judged, judgedTable, option, rangeText, say } from '../bench-facts';
import { cutText, exitWhenCut, isCut, untilCut } from '../until-cut';

const repeats = Number(option('repeats', '20'));
const budgetS = Number(option('budget', '140'));
const outFile = option('out', '');
const toolchainHome = option('home', '');
const cli = option('cli', '');
/** No comparison begins after that many minutes. */
const longestMinutes = Number(option('minutes', '55'));
const presentLayers = 40;
/** Throughput of the slower model over that of the present one, on a machine that does nothing else. */
const planted = 0.85;
/** Half of the widest interval that says what was planted. */
const widestHalf = 0.03;
const plantAttempts = 6;
/** Layers of the slower model at first: more or fewer, as what a request takes besides makes them worth. */
const firstLayers = 53;
/** Of the p99 figures, which have no goal. */
const p99Share = 1 / 4;
const begun = Date.now();

interface Kind {
  readonly title: string;
  readonly second: 'present' | 'slower';
  readonly criterion: string;
  readonly count: number;
}
const fewer = Math.max(1, Math.round(repeats * p99Share));
const kinds: readonly Kind[] = [
  { title: 'itself, throughput', second: 'present', criterion: 'throughput<0.93x', count: repeats },
  { title: '15 % slower, throughput', second: 'slower', criterion: 'throughput<0.93x', count: repeats },
  { title: 'itself, p99', second: 'present', criterion: 'p99>1.1x', count: fewer },
  { title: '15 % slower, p99', second: 'slower', criterion: 'p99>1.1x', count: fewer },
];

const hasGoal = ({ criterion }: Kind): boolean => criterion.startsWith('throughput');

interface Compared {
  readonly answer: DuelAnswer;
  /** Wall time of the whole command, seconds. */
  readonly wallS: number;
}

const home = await mkdtemp(join(tmpdir(), 'workbench-search-gate-'));
const env = { ...process.env, TRITON_WORKBENCH_HOME: home };

/** Standard output of a command of the workbench. Throws for exit codes that are no answer. */
function workbench(args: readonly string[], answers: readonly number[] = [0]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [cli, ...args], { env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number' && answers.includes(code)) resolve(stdout);
      else reject(new Error(`${args.join(' ')}: exit code ${String(code)}\n${stderr}`));
    });
  });
}

/** A run of a model with so many layers. */
async function deployed(name: string, layers: number): Promise<void> {
  const file = join(home, `${name}.onnx`);
  const script = join(option('app', '.'), 'scripts', 'bench', 'search', 'chain_model.py');
  await new Promise<void>((resolve, reject) => {
    execFile(join(home, 'python', 'bin', 'python'), [script, file, String(layers)], (error) =>
      error === null ? resolve() : reject(new Error('The model was not written', { cause: error })),
    );
  });
  await workbench([
    ...['run', file, '--name', name, '--batch-sizes', '1', '--concurrency', '4', '--json'],
    ...['--measurement-interval-ms', '500', '--max-trials', '3', '--set', 'configure.threads=1'],
  ]);
}

interface Planted {
  /** The run that is called slower. */
  readonly run: string;
  readonly layers: number;
  /** Of its throughput to that of the present one, with its interval. */
  readonly text: string;
}

const level = ['--measure', '--concurrency', '4', '--batch-size', '1', '--json'] as const;

/** What a layer more adds to the time of a request, as a share of the time of the present model, and its variance. */
interface PerLayer {
  readonly value: number;
  readonly variance: number;
}

/** Of all attempts: each counts by how narrow its interval is. */
function pooled(attempts: readonly PerLayer[]): PerLayer {
  const weights = attempts.map(({ variance }) => 1 / variance);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const value = attempts.reduce((total, one, at) => total + one.value * ((weights[at] ?? 0) / sum), 0);
  return { value, variance: 1 / sum };
}

/** Measures a model of so many layers beside the present one, before anything else has the processors. */
async function perLayerOf(layers: number, attempt: number): Promise<PerLayer> {
  const run = `slower-${attempt}`;
  await deployed(run, layers);
  // A model of exactly that throughput stays undecided, so that its interval is that of the whole budget.
  const more = ['--budget', '60s', '--name', `planted-${attempt}`, '--fail-if', `throughput<${planted}x`];
  const written = await workbench(['compare', 'present', run, ...level, ...more], [0, 3, 4]);
  const { answer } = JSON.parse(written) as { readonly answer: DuelAnswer };
  const { ratio = null, low = null, high = null } = answer.judged[0] ?? {};
  if (ratio === null || low === null || high === null) throw new Error('The slower model was not measured');
  say(`Measured: ${layers} layers, ×${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`);
  const added = layers - presentLayers;
  const deviation = (1 / low - 1 / high) / (2 * 1.96) / added;
  return { value: (1 / ratio - 1) / added, variance: deviation ** 2 };
}

/** The model whose throughput is the planted one, by the time that a layer takes. */
async function plant(): Promise<Planted> {
  const attempts: PerLayer[] = [];
  let layers = firstLayers;
  for (;;) {
    attempts.push(await perLayerOf(layers, attempts.length + 1));
    const { value, variance } = pooled(attempts);
    layers = presentLayers + Math.max(1, Math.round((1 / planted - 1) / value));
    const at = (perLayer: number) => 1 / (1 + perLayer * (layers - presentLayers));
    const [low, high] = [1.96, -1.96].map((times) => at(value + times * Math.sqrt(variance)));
    if (low === undefined || high === undefined) throw new Error('No interval');
    if ((high - low) / 2 > widestHalf && attempts.length < plantAttempts) continue;
    const text = `${layers} layers, ×${at(value).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}) by ${attempts.length} comparisons`;
    say(`Planted: ${text}`);
    await deployed('slower', layers);
    return { run: 'slower', layers, text };
  }
}

let asked = 0;
async function compared({ second, criterion }: Kind, slower: Planted): Promise<Compared> {
  asked += 1;
  const from = Date.now();
  const text = await workbench(
    [
      ...['compare', 'present', second === 'present' ? second : slower.run, ...level],
      ...['--budget', `${budgetS}s`, '--name', `gate-${asked}`, '--fail-if', criterion],
    ],
    [0, 3, 4],
  );
  const { answer } = JSON.parse(text) as { readonly answer: DuelAnswer };
  return { answer, wallS: (Date.now() - from) / 1000 };
}

/** A loop on half of the processors, as of another job. */
const busy = (): ChildProcess[] =>
  Array.from({ length: Math.max(1, Math.floor(availableParallelism() / 2)) }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );

const loops: ChildProcess[] = [];

const results = new Map<Kind, Compared[]>(kinds.map((kind) => [kind, []]));
const of = (kind: Kind, outcome: DuelAnswer['outcome']): number =>
  (results.get(kind) ?? []).filter(({ answer }) => answer.outcome === outcome).length;

/** In turns, so that each kind has its share of the time; those without a goal, which take the longest, at the end. */
function order(): readonly Kind[] {
  const inTurns = (some: readonly Kind[]): readonly Kind[] =>
    Array.from({ length: Math.max(...some.map(({ count }) => count)) }, (_unused, round) =>
      some.filter(({ count }) => round < count),
    ).flat();
  const [aimed, stated] = [true, false].map((goal) => kinds.filter((kind) => hasGoal(kind) === goal));
  return [...inTurns(aimed ?? []), ...inTurns(stated ?? [])];
}

function rowsOf(kind: Kind): readonly Judged[] {
  const all = results.get(kind) ?? [];
  const count = all.length;
  const { title, second } = kind;
  const isGoal = hasGoal(kind);
  const row = (name: string, value: string, limit = '', kept = true): Judged => ({
    name: `${title}: ${name}`,
    value,
    limit,
    kept,
  });
  const share = (most: number) => Math.floor((most * count) / 20);
  const unclear = of(kind, 'unclear');
  const ratios = all.flatMap(({ answer }) => answer.judged[0]?.ratio ?? []);
  return [
    row('comparisons', String(count)),
    ...(second === 'present'
      ? [
          row(
            'alarms',
            String(of(kind, 'outside')),
            isGoal ? `at most ${share(1)}` : '',
            !isGoal || of(kind, 'outside') <= share(1),
          ),
          row(
            'inconclusive',
            String(unclear),
            isGoal ? `at most ${share(2)}` : '',
            !isGoal || unclear <= share(2),
          ),
        ]
      : [
          row(
            'found',
            String(of(kind, 'outside')),
            isGoal ? `at least ${count - share(1)}` : '',
            !isGoal || of(kind, 'outside') >= count - share(1),
          ),
          row('inconclusive', String(unclear)),
        ]),
    row('B/A', rangeText(ratios, 3)),
    row(
      's of load',
      rangeText(
        all.map(({ answer }) => answer.seconds),
        0,
      ),
    ),
    row(
      's of the command',
      rangeText(
        all.map(({ wallS }) => wallS),
        0,
      ),
      isGoal ? 'at most 180' : '',
      !isGoal || all.every(({ wallS }) => wallS <= 180),
    ),
  ];
}

try {
  for (const tool of ['python', 'triton']) await symlink(join(toolchainHome, tool), join(home, tool));
  await deployed('present', presentLayers);
  const slower = await plant();
  loops.push(...busy());
  const due = order();
  let done = 0;
  const cut = await untilCut(async () => {
    for (const kind of due) {
      if (isCut() || Date.now() - begun > longestMinutes * 60_000) return;
      const one = await compared(kind, slower);
      results.get(kind)?.push(one);
      done += 1;
      say(`${done} of ${due.length}, ${kind.title}: ${one.answer.sentence}, ${one.wallS.toFixed(0)} s`);
    }
  });
  const rows = kinds.flatMap(rowsOf);
  const { version } = await detectLocalTriton(homeLayout(home));
  const document = [
    '# A gate that decides',
    '',
    'Written by `npm run bench -- search-gate`. `compare A B --measure` on a model of fully connected layers at concurrency 4, beside a',
    `loop that takes half of the processors: with itself (${presentLayers} layers), and with one that has more layers and 15 % less throughput without the loop.`,
    `Each ends as soon as it is decided, and after ${budgetS} s of load at the latest. Median [lowest–highest].`,
    '',
    ...(cut ? cutText(`${done} of ${due.length} comparisons made`) : []),
    ...(!cut && done < due.length
      ? [`${due.length - done} comparisons did not begin within ${longestMinutes} minutes.`, '']
      : []),
    ...factTable(version ?? 'unknown', [
      ['Comparisons', String(done)],
      ['Planted, without the loop', slower.text],
    ]),
    '',
    ...judgedTable(rows),
    '',
  ].join('\n');
  say(`\n${document}`);
  if (outFile !== '' && done > 0) await writeFile(outFile, document);
  if (!cut) process.exitCode = exitCodeOf(rows);
} finally {
  for (const loop of loops) loop.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
}
exitWhenCut();
