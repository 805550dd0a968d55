import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
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
import { highestRatio, pairedRatio, pairedText } from '../pairs';
import { cutText } from '../until-cut';
import { stopOfBench, untilStopped } from './bench-stop';
import {
  analyzerConfig,
  type AnalyzerMode,
  analyzerModes,
  type AnalyzerPlaces,
  analyzerVersion,
  type Answered,
  installAnalyzer,
  runAnalyzer,
  trials,
  type Winner,
} from './model-analyzer';
import { makeWideHome, type WideHome } from './wide-home';
import { wideSpace } from './wide-space';
import { measureWinners, type WinnerLevel } from './winner-levels';

const pairs = Number(option('pairs', '5'));
const outFile = option('out', '');
const asked = option('mode', '');
const modes = asked === '' ? analyzerModes : analyzerModes.filter((mode) => mode === asked);
const repeats = 3;
/** Of the time of the mode. */
const timeLimit: Readonly<Partial<Record<AnalyzerMode, number>>> = { optuna: 0.35 };
const own = 'search';
type Side = AnalyzerMode | typeof own;

interface Answer extends Answered {
  readonly levels: readonly WinnerLevel[];
}
type Round = ReadonlyMap<Side, Answer>;

const documentSchema = z.looseObject({
  search: z.looseObject({
    candidates: z.array(z.looseObject({ instances: z.number(), maxBatchSize: z.number() })),
  }),
  answer: z.looseObject({
    winner: z.looseObject({ candidate: z.number(), load: z.number() }).nullable(),
    rows: z.array(z.looseObject({ looks: z.number() })),
  }),
});

/** The same file of Model Analyzer, read by the command line; from its start to its end. */
async function runSearch(wide: WideHome, config: string, name: string): Promise<Answered> {
  const start = performance.now();
  const file = ['--from-analyzer', config];
  const text = await wide.cli('search', wide.runId, ...file, '--budget', '5m', '--name', name, '--json');
  const seconds = (performance.now() - start) / 1000;
  const { search, answer } = documentSchema.parse(JSON.parse(text));
  const candidate = search.candidates[(answer.winner?.candidate ?? 0) - 1];
  if (answer.winner === null || candidate === undefined) throw new Error('The search has no winner');
  const { instances, maxBatchSize } = candidate;
  return {
    winner: { instances, maxBatchSize, concurrency: answer.winner.load },
    seconds,
    measurements: answer.rows.reduce((sum, { looks }) => sum + looks, 0),
  };
}

const winnerText = ({ instances, maxBatchSize, concurrency }: Winner): string =>
  `${instances} × ${maxBatchSize}, concurrency ${concurrency}`;

async function runRound(
  wide: WideHome,
  places: AnalyzerPlaces,
  program: string,
  number: number,
  signal: AbortSignal,
): Promise<Round> {
  const answers = new Map<Side, Answered>();
  const config = join(wide.home, 'peers.yaml');
  await writeFile(config, stringify(analyzerConfig('optuna')));
  for (const side of shuffled<Side>([own, ...modes])) {
    signal.throwIfAborted();
    const answer =
      side === own
        ? await runSearch(wide, config, `peers-${number}`)
        : await runAnalyzer(program, places, side, signal);
    answers.set(side, answer);
    say(`${number} of ${pairs}, ${side}: ${answer.seconds.toFixed(0)} s, ${winnerText(answer.winner)}`);
  }
  const winners = new Map([...answers].map(([side, { winner }]) => [side, winner] as const));
  const levels = await measureWinners(places, winners, repeats, signal);
  return new Map(
    [...answers].map(([side, answer]) => [side, { ...answer, levels: levels.get(side) ?? [] }] as const),
  );
}

const of = (rounds: readonly Round[], side: Side): readonly Answer[] =>
  rounds.flatMap((round) => round.get(side) ?? []);
const ratesOf = (rounds: readonly Round[], side: Side): readonly number[] =>
  of(rounds, side).flatMap(({ levels }) => levels.map(({ inferencesPerSecond }) => inferencesPerSecond));

function judged(rounds: readonly Round[], mode: AnalyzerMode): readonly Judged[] {
  const [ours, theirs] = [of(rounds, own), of(rounds, mode)];
  const time = pairedRatio(ours.map(({ seconds }, at) => [seconds, theirs[at]?.seconds ?? Number.NaN]));
  const rates = [ratesOf(rounds, own), ratesOf(rounds, mode)] as const;
  const limit = timeLimit[mode];
  return [
    {
      name: `Time to the answer, search / ${mode}, paired`,
      value: `${time.median.toFixed(2)} [${time.lowest.toFixed(2)}–${time.highest.toFixed(2)}]`,
      limit: limit === undefined ? '' : `at most ${limit}`,
      kept: limit === undefined || time.median <= limit,
    },
    {
      name: `Throughput of the winners, search / ${mode}, paired`,
      value: pairedText(...rates),
      limit: 'the interval reaches 1',
      kept: highestRatio(...rates) >= 1,
    },
  ];
}

const sideRows = (rounds: readonly Round[]): readonly string[] =>
  ([own, ...modes] as const).map((side) => {
    const answers = of(rounds, side);
    const levels = answers.flatMap((one) => one.levels);
    const held = levels.filter(({ p99Us }) => p99Us <= wideSpace.latencyUs).length;
    const cells = [
      side === own ? '`search`' : `Model Analyzer, ${side}`,
      rangeText(
        answers.map(({ seconds }) => seconds),
        0,
      ),
      rangeText(
        answers.map(({ measurements }) => measurements),
        0,
      ),
      [...new Set(answers.map(({ winner }) => winnerText(winner)))].join('; '),
      rangeText(
        levels.map(({ inferencesPerSecond }) => inferencesPerSecond),
        0,
      ),
      rangeText(
        levels.map(({ p99Us }) => p99Us / 1000),
        1,
      ),
      `${held} of ${levels.length}`,
    ];
    return `| ${cells.join(' | ')} |`;
  });

function documentOf(rounds: readonly Round[], version: string, note: readonly string[]): string {
  return [
    '# A search beside Model Analyzer',
    '',
    'Written by `npm run bench -- search-peers`. The same model (59 MB, for which batching pays), the same Triton and the same file: instances',
    `${wideSpace.instances.join(', ')}, maximum batch sizes ${wideSpace.maxBatchSizes.join(', ')} and concurrencies ${wideSpace.concurrency.join(', ')}, the most throughput with a p99 of at most ${wideSpace.latencyUs / 1000} ms.`,
    `\`search --from-analyzer\` and Model Analyzer ${analyzerVersion} (local mode, perf_analyzer; Optuna with ${trials.least} to ${trials.most} trials) start from the prepared`,
    'model; the time is that of the whole process, with the start of its Triton and the loads of the model. Orders are by chance. Then perf_analyzer',
    `measures the winners of each pair on one Triton, ${repeats} times each in turns (three windows of 2 s). Median [lowest–highest].`,
    '',
    ...note,
    ...factTable(version, [['Pairs', String(rounds.length)]]),
    '',
    '| | s to the answer | measurements | answers (instances × maximum batch size) | inferences/s by perf_analyzer | p99, ms | p99 held |',
    '|---|---|---|---|---|---|---|',
    ...sideRows(rounds),
    '',
    ...judgedTable(modes.flatMap((mode) => judged(rounds, mode))),
    '',
  ].join('\n');
}

if (modes.length === 0) {
  process.stderr.write(`--mode is one of ${analyzerModes.join(', ')}\n`);
  process.exit(2);
}
const signal = stopOfBench();
const wide = await makeWideHome();
try {
  await wide.cli('bundle', wide.runId, '--out', join(wide.home, 'bundle'));
  const places = {
    home: wide.home,
    tools: join(option('home', ''), 'bench'),
    models: join(wide.home, 'bundle', 'model-repository'),
  };
  const program = await installAnalyzer(places);
  const { version } = await detectLocalTriton(homeLayout(wide.home));
  const rounds: Round[] = [];
  const write = async (note: readonly string[]): Promise<void> => {
    const document = documentOf(rounds, version ?? 'unknown', note);
    if (outFile !== '') await writeFile(outFile, document);
    say(`\n${document}`);
  };
  const cut = await untilStopped(signal, async () => {
    while (rounds.length < pairs) {
      rounds.push(await runRound(wide, places, program, rounds.length + 1, signal));
    }
  });
  if (rounds.length > 0) await write(cut ? cutText(`${rounds.length} of ${pairs} pairs measured`) : []);
  if (cut) say(`Interrupted: ${rounds.length} of ${pairs} pairs measured; nothing was judged.`);
  process.exitCode = cut ? 130 : exitCodeOf(modes.flatMap((mode) => judged(rounds, mode)));
} finally {
  await wide.remove();
}
