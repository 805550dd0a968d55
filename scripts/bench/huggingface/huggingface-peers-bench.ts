import { readFile, writeFile } from 'node:fs/promises';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import {
  exitCodeOf,
  factTable,
  type Judged,
  judgedTable,
  option,
  rangeText,
  say,
  shuffled,
} from '../bench-facts';
import { highestRatio, pairedText } from '../pairs';
import { stopOfBench, untilStopped } from '../search/bench-stop';
import { cutText } from '../until-cut';
import { type Classified, classify, type Labelled, load, type Loaded } from './peer-client';
import {
  concurrencies,
  model,
  type ServedPeers,
  servingPeers,
  type Side,
  sides,
  textsOf,
  threads,
} from './served-peers';

const pairs = Number(option('pairs', '8'));
/** From the start of the bench: no round begins later. */
const longestMinutes = Number(option('minutes', '15'));
const outFile = option('out', '');
const level = { warmUpMs: 500, windowMs: 3000 } as const;
/** As the accuracy gate of a pipeline has it. */
const scoreWithin = 1e-4;
const begun = Date.now();

const titles: Readonly<Record<Side, string>> = {
  pipeline: 'pipeline on Triton, as written',
  found: 'pipeline on Triton, as `search` found it',
  framework: `\`transformers.pipeline\` behind a plain HTTP server, threads ${threads}`,
  single: '`transformers.pipeline` behind a plain HTTP server, threads 1',
};
/** First over second. */
const compared: readonly (readonly [first: Side, second: Side])[] = [
  ['pipeline', 'framework'],
  ['pipeline', 'single'],
  ['found', 'framework'],
  ['found', 'single'],
  ['found', 'pipeline'],
];
const shortTitles: Readonly<Record<Side, string>> = {
  pipeline: 'as written',
  found: 'as found',
  framework: `transformers, threads ${threads}`,
  single: 'transformers, threads 1',
};

interface Cell {
  readonly side: Side;
  readonly concurrency: number;
  readonly loaded: Loaded;
}
/** Each cell once. */
type Round = readonly Cell[];

/** Of each text, one by one. */
type Answers = Readonly<Record<Side, readonly Classified[]>>;

interface Measured {
  readonly served: Pick<ServedPeers, 'found' | 'versions'>;
  readonly answers: Answers;
  readonly rounds: Round[];
}

async function askedAnswers({ peers }: ServedPeers, texts: readonly string[]): Promise<Answers> {
  const answers: Record<Side, readonly Classified[]> = { pipeline: [], found: [], framework: [], single: [] };
  for (const side of sides) answers[side] = await classify(peers[side], texts);
  return answers;
}

/** All numbers of clients in an order by chance, and at each all sides in turn, in an order by chance. */
async function measureRound(
  { peers }: ServedPeers,
  samples: readonly Labelled[],
  signal: AbortSignal,
): Promise<Round> {
  const cells: Cell[] = [];
  for (const concurrency of shuffled(concurrencies)) {
    for (const side of shuffled(sides)) {
      const loaded = await load(peers[side], samples, { concurrency, ...level }, signal);
      cells.push({ side, concurrency, loaded });
    }
  }
  return cells;
}

const clients = (count: number): string => `${count} ${count === 1 ? 'client' : 'clients'}`;

const of = (rounds: readonly Round[], side: Side, concurrency: number): readonly Loaded[] =>
  rounds.map((round) => {
    const cell = round.find((one) => one.side === side && one.concurrency === concurrency);
    if (cell === undefined) throw new Error(`${side} was not measured with ${clients(concurrency)}`);
    return cell.loaded;
  });
const ratesOf = (loaded: readonly Loaded[]) => loaded.map(({ requestsPerSecond }) => requestsPerSecond);
const p99Of = (loaded: readonly Loaded[]) => loaded.map(({ p99Ms }) => p99Ms);

const levelRows = (rounds: readonly Round[]): readonly string[] =>
  concurrencies.flatMap((concurrency) =>
    sides.map((side) => {
      const loaded = of(rounds, side, concurrency);
      const requests = loaded.reduce((sum, one) => sum + one.requests, 0);
      const figures = [rangeText(ratesOf(loaded), 1), rangeText(p99Of(loaded), 1), String(requests)];
      return `| ${[String(concurrency), titles[side], ...figures].join(' | ')} |`;
    }),
  );

const ratioRows = (rounds: readonly Round[]): readonly string[] =>
  concurrencies.flatMap((concurrency) =>
    compared.map(([first, second]) => {
      const [one, other] = [of(rounds, first, concurrency), of(rounds, second, concurrency)];
      const names = `${shortTitles[first]} / ${shortTitles[second]}`;
      const ratios = [pairedText(ratesOf(one), ratesOf(other)), pairedText(p99Of(one), p99Of(other))];
      return `| ${[String(concurrency), names, ...ratios].join(' | ')} |`;
    }),
  );

/** Of the answers one by one, beside the framework with all threads. */
function judgedAnswers({ framework, ...others }: Answers): readonly Judged[] {
  const columns = Object.values(others);
  const equal = framework.filter(({ label }, at) => columns.every((one) => one[at]?.label === label));
  const differences = framework.flatMap(({ score }, at) =>
    columns.map((one) => Math.abs((one[at]?.score ?? Number.NaN) - score)),
  );
  const largest = Math.max(...differences);
  return [
    {
      name: 'Texts with the same label from all, one by one',
      value: `${equal.length} of ${framework.length}, ${new Set(framework.map(({ label }) => label)).size} different labels`,
      ...{ limit: 'all', kept: equal.length === framework.length },
    },
    {
      name: 'Largest difference of their scores',
      value: largest.toExponential(1),
      ...{ limit: `at most ${scoreWithin.toExponential(0)}`, kept: largest <= scoreWithin },
    },
  ];
}

function judged({ served, answers, rounds }: Measured): readonly Judged[] {
  const all = rounds.flat().map(({ loaded }) => loaded);
  const others = all.reduce((sum, { otherLabels }) => sum + otherLabels, 0);
  const requests = all.reduce((sum, one) => sum + one.requests, 0);
  const { concurrency } = served.found;
  const rates = [
    ratesOf(of(rounds, 'found', concurrency)),
    ratesOf(of(rounds, 'pipeline', concurrency)),
  ] as const;
  return [
    ...judgedAnswers(answers),
    {
      name: 'Answers under load with another label',
      value: `${others} of ${requests}`,
      ...{ limit: '0', kept: others === 0 },
    },
    {
      name: `Throughput with ${clients(concurrency)}, as found / as written, paired`,
      value: pairedText(...rates),
      ...{ limit: 'the interval reaches 1', kept: highestRatio(...rates) >= 1 },
    },
  ];
}

function documentOf(measured: Measured, version: string, note: readonly string[]): string {
  const { served, rounds, answers } = measured;
  const seconds = level.windowMs / 1000;
  return [
    "# A pipeline beside the framework's own",
    '',
    'Written by `npm run bench -- huggingface-peers`. A folder with the layers of DistilBERT (4 of them, 256 wide) and **random weights**, with a tokenizer that is learned',
    'from the texts: `run FOLDER --serve pipeline` on a local Triton, the same with the configuration that `search --part` found for its model, and',
    "`transformers.pipeline` in one process behind `ThreadingHTTPServer` of Python's standard library, which gets the texts by HTTP and calls the pipeline with one text at a time. All",
    `are on this machine, and wait while another one is measured. The pipeline as written and the first \`transformers.pipeline\` have ${threads} threads; the search may choose one, so`,
    'that the framework is measured with one thread, too.',
    '',
    `One load generator for all: a client of \`node:http\` in this bench, as the built-in one sends to no other server than Triton. It sends the ${answers.framework.length} texts of the workbench, one per`,
    'request, over a connection per client, to Triton as JSON tensors, and reads the label of each answer; the next request follows the answer. It has no processor of its own.',
    `Each round measures 1, 4 and 8 clients, and at each all four in turn, in orders by chance: ${seconds} s after ${level.warmUpMs / 1000} s to warm up. Median [lowest–highest] of the rounds. A ratio`,
    'is the geometric mean of those of the rounds, with its 95 % interval; above 1 the first has more throughput, or the longer p99.',
    '',
    ...note,
    ...factTable(version, [
      ['Framework', served.versions],
      ['Rounds', String(rounds.length)],
      ['Found by `search`', `${served.found.text}, ${clients(served.found.concurrency)}`],
    ]),
    '',
    '| clients | | requests/s | p99, ms | requests |',
    '|---|---|---|---|---|',
    ...levelRows(rounds),
    '',
    '| clients | paired ratio | throughput | p99 |',
    '|---|---|---|---|',
    ...ratioRows(rounds),
    '',
    '## What is asked of it',
    '',
    ...judgedTable(judged(measured)),
    '',
    `The search: ${served.found.sentence}`,
    '',
  ].join('\n');
}

const signal = stopOfBench();
const { version } = await detectLocalTriton(homeLayout(option('home', '')));
const texts = (await readFile(textsOf(option('app', '.')), 'utf8'))
  .split('\n')
  .filter((line) => line.trim() !== '');
const state: { measured?: Measured } = {};
const isLate = () => Date.now() - begun > longestMinutes * 60_000;

const cut = await untilStopped(signal, () =>
  servingPeers(signal, async (served) => {
    const answers = await askedAnswers(served, texts);
    const measured: Measured = { served, answers, rounds: [] };
    state.measured = measured;
    const samples = texts.map((text, at) => ({ text, label: answers.framework[at]?.label ?? '' }));
    while (measured.rounds.length < pairs && (measured.rounds.length === 0 || !isLate())) {
      measured.rounds.push(await measureRound(served, samples, signal));
      say(`${measured.rounds.length} of ${pairs} rounds`);
    }
  }),
);
const { measured } = state;
const rounds = measured?.rounds.length ?? 0;
if (measured !== undefined && rounds > 0) {
  const note = cut ? cutText(`${rounds} of ${pairs} rounds of ${model} measured`) : [];
  const document = documentOf(measured, version ?? 'unknown', note);
  say(`\n${document}`);
  if (outFile !== '') await writeFile(outFile, document);
}
if (cut) say(`Interrupted: ${rounds} of ${pairs} rounds measured; nothing was judged.`);
process.exitCode = cut || measured === undefined ? 130 : exitCodeOf(judged(measured));
