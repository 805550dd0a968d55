import { appendFile, writeFile } from 'node:fs/promises';
import type { Look, Searched, SearchStrategy } from '../../../main/contract/study/search';
import { createRandom } from '../../../main/domain/random';
import { medianOf } from '../../../main/domain/statistics';
import { candidateText } from '../../../main/domain/study/search/candidates';
import { ratioOf, secondsOf } from '../../../main/domain/study/search/next-looks';
import { searchAnswer } from '../../../main/domain/study/search/search-answer';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { exitCodeOf, factTable, type Judged, judgedTable, option, say, shuffled } from '../bench-facts';
import { cutText } from '../until-cut';
import { stopOfBench, untilStopped } from './bench-stop';
import { type Cell, halfWidth, pairCells, type PairedCells } from './paired-cells';
import { openSearchBench, type ServedSearch } from './served-search';
import { makeWideHome } from './wide-home';
import { wideCandidates, wideSpace } from './wide-space';

const seeds = Number(option('seeds', '10'));
const rounds = Number(option('rounds', '3'));
const lookMs = Number(option('look-ms', '2000'));
const outFile = option('out', '');
const looksFile = option('looks', '');
/** Of the measured seconds of all configurations. */
const share = 0.2;
const ratioLimit = 0.97;
const half = 0.03;
/** Of ten seeds nine. */
const kept = 0.9;
const pairs = { fewest: 8, most: Number(option('pairs', '60')), half, ms: 1500 } as const;

/** Each measurement, in a line of JSON. */
async function keep(what: string, looks: readonly Look[]): Promise<void> {
  if (looksFile === '') return;
  await appendFile(looksFile, looks.map((look) => `${JSON.stringify({ what, ...look })}\n`).join(''));
}

interface Found {
  readonly seed: number;
  readonly cell: Cell | null;
  readonly text: string;
  readonly seconds: number;
}

const concurrencyOf = ({ load }: Cell): number => ('concurrency' in load ? load.concurrency : 0);
const sameCell = (one: Cell, other: Cell): boolean =>
  one.candidate === other.candidate && concurrencyOf(one) === concurrencyOf(other);

/** Each configuration at each concurrency, round after round in an order by chance. */
async function measureAll(search: SearchStrategy, { measure }: ServedSearch, looks: Look[]): Promise<void> {
  const cells = search.candidates.flatMap((_one, at) =>
    wideSpace.concurrency.map((concurrency) => ({ candidate: at + 1, load: { concurrency } })),
  );
  for (let round = 1; round <= rounds; round += 1) {
    for (const cell of shuffled(cells)) looks.push(await measure({ ...cell, phase: 'edge', ms: lookMs }));
    say(`All configurations, round ${round} of ${rounds}: ${looks.length} measurements`);
  }
}

interface Measured {
  readonly cell: Cell;
  readonly inferencesPerSecond: number;
  readonly p99Us: number;
}

function byCell(looks: readonly Look[]): readonly Measured[] {
  const cells = new Map<string, Look[]>();
  for (const look of looks) {
    const key = `${look.candidate} ${concurrencyOf(look)}`;
    cells.set(key, [...(cells.get(key) ?? []), look]);
  }
  return [...cells.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const all = [first, ...more];
    const sum = all.reduce((total, { inferencesPerSecond }) => total + inferencesPerSecond, 0);
    return {
      cell: { candidate: first.candidate, load: first.load },
      inferencesPerSecond: sum / all.length,
      p99Us: medianOf(all.map(({ latencyUs }) => latencyUs)),
    };
  });
}

/** The most within the target. Throws where none keeps it. */
function optimumOf(looks: readonly Look[]): Measured {
  const [best] = byCell(looks)
    .filter(({ p99Us }) => p99Us <= wideSpace.latencyUs)
    .toSorted((one, other) => other.inferencesPerSecond - one.inferencesPerSecond);
  if (best === undefined) throw new Error(`No configuration keeps a p99 of ${wideSpace.latencyUs} µs`);
  return best;
}

/** The run first, the others in an order of their own. */
function seeded(search: SearchStrategy, seed: number): SearchStrategy {
  const random = createRandom(seed);
  const [first, ...others] = search.candidates;
  const order = others
    .map((one) => ({ one, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ one }) => one);
  return { ...search, candidates: first === undefined ? order : [first, ...order] };
}

/** What a search answered, with its candidate's number in the list that is served. */
function foundBy(base: SearchStrategy, search: SearchStrategy, seed: number, searched: Searched): Found {
  const { winner } = searchAnswer(search, searched);
  const own = search.candidates[(winner?.candidate ?? 0) - 1];
  const seconds = secondsOf(searched);
  if (winner === null || own === undefined || winner.load === null) {
    return { seed, cell: null, text: 'none', seconds };
  }
  const { instances, maxBatchSize } = own;
  return {
    ...{ seed, seconds, text: `${instances} × ${maxBatchSize}, concurrency ${winner.load}` },
    cell: { candidate: 1 + base.candidates.indexOf(own), load: { concurrency: winner.load } },
  };
}

interface Verdict {
  readonly found: Found;
  /** null: the search found the optimum itself. */
  readonly paired: PairedCells | null;
}

const p99Of = ({ first }: PairedCells): number => medianOf(first.map(({ latencyUs }) => latencyUs));

function isReached({ found, paired }: Verdict): boolean {
  if (found.cell === null) return false;
  if (paired === null) return true;
  const ratio = ratioOf(paired.logs);
  return (
    ratio !== null &&
    ratio.high >= ratioLimit &&
    halfWidth(ratio) <= half &&
    p99Of(paired) <= wideSpace.latencyUs
  );
}

function ratioText({ found, paired }: Verdict): string {
  if (found.cell === null) return 'no answer | –';
  if (paired === null) return 'the optimum itself | –';
  const ratio = ratioOf(paired.logs);
  if (ratio === null) return 'not known | –';
  const [middle, low, high] = [ratio.ratio, ratio.low, ratio.high].map((value) => value.toFixed(3));
  return `${middle} (${low} to ${high}), ${paired.logs.length} pairs | ${(p99Of(paired) / 1000).toFixed(1)}`;
}

const allSeconds = (looks: readonly Look[]): number => secondsOf({ looks, failed: {} });

function documentOf(
  search: SearchStrategy,
  all: readonly Look[],
  verdicts: readonly Verdict[],
  notes: { readonly cut: boolean; readonly version: string | null },
): { readonly text: string; readonly rows: readonly Judged[] } {
  const seconds = allSeconds(all);
  const limitS = share * seconds;
  const best = optimumOf(all);
  const reached = verdicts.filter(isReached).length;
  const quick = verdicts.filter(({ found }) => found.seconds <= limitS).length;
  const wanted = Math.ceil(kept * verdicts.length);
  const of = (count: number) => `${count} of ${verdicts.length}`;
  const rows: readonly Judged[] = [
    {
      name: `Seeds whose answer reaches ${ratioLimit} of the optimum`,
      value: of(reached),
      limit: `at least ${wanted}`,
      kept: reached >= wanted,
    },
    {
      name: `Seeds within ${share} of the seconds of all configurations`,
      value: of(quick),
      limit: `at least ${wanted}`,
      kept: quick >= wanted,
    },
  ];
  const present = search.candidates[0];
  const optimum = search.candidates[best.cell.candidate - 1];
  const top = byCell(all)
    .toSorted((one, other) => other.inferencesPerSecond - one.inferencesPerSecond)
    .slice(0, 8);
  const cellText = ({ candidate, load }: Cell) => {
    const own = search.candidates[candidate - 1];
    return `${own?.instances} × ${own?.maxBatchSize}, concurrency ${concurrencyOf({ candidate, load })}`;
  };
  const text = [
    '# The search and all 48 configurations',
    '',
    'Written by `npm run bench -- search-48`. The model of `scripts/bench/search/wide_model.py`, 59 MB of ONNX for which batching pays, on the local',
    `engine: 3 instances × 4 maximum batches × 4 concurrencies, closed load, p99 at most ${wideSpace.latencyUs / 1000} ms. All of them are measured first,`,
    `${rounds} times ${lookMs / 1000} s each in an order by chance, by the product's own measurement; the optimum is the most throughput`,
    'within the target. Then the search runs with its budget, from nothing each time, its candidates in another order by each seed. Its answer and the',
    `optimum are measured in pairs of ${pairs.ms / 1000} s, the first of each by chance, until the 95 % interval of their ratio is at most ± ${half} wide`,
    `(${pairs.most} pairs at most). A seed counts where that interval reaches ${ratioLimit} and the p99 of the answer in the pairs is within the target.`,
    'Equal answers are measured once. Seconds are those of load.',
    '',
    ...(notes.cut ? cutText(`${verdicts.length} of ${seeds} seeds measured`) : []),
    ...factTable(notes.version ?? 'unknown', [
      ['Seconds of all configurations', seconds.toFixed(0)],
      [
        'Optimum',
        `${cellText(best.cell)}: ${best.inferencesPerSecond.toFixed(0)} inferences/s, p99 ${(best.p99Us / 1000).toFixed(1)} ms` +
          (present === undefined || optimum === undefined ? '' : ` (${candidateText(present, optimum)})`),
      ],
    ]),
    '',
    ...(verdicts.length === 0 ? [] : judgedTable(rows)),
    '',
    '| seed | answer (instances × maximum batch) | seconds | of all | ratio to the optimum (95 %) | p99, ms | reached |',
    '|---|---|---|---|---|---|---|',
    ...verdicts.map(
      (one) =>
        `| ${one.found.seed} | ${one.found.text} | ${one.found.seconds.toFixed(0)} | ${((100 * one.found.seconds) / seconds).toFixed(1)} % | ${ratioText(one)} | ${isReached(one) ? 'yes' : 'no'} |`,
    ),
    '',
    'The eight with the most throughput, within the target or not:',
    '',
    '| instances × maximum batch | inferences/s | p99, ms |',
    '|---|---|---|',
    ...top.map(
      ({ cell, inferencesPerSecond, p99Us }) =>
        `| ${cellText(cell)} | ${inferencesPerSecond.toFixed(0)} | ${(p99Us / 1000).toFixed(1)} |`,
    ),
    '',
  ].join('\n');
  return { text, rows };
}

const signal = stopOfBench();
const wide = await makeWideHome();
try {
  const { version } = await detectLocalTriton(homeLayout(wide.home));
  const bench = await openSearchBench(wide, signal);
  const space = {
    ...{ instances: [...wideSpace.instances], maxBatchSize: [...wideSpace.maxBatchSizes] },
    ...{ batching: ['dynamic' as const], preferredBatchSizes: [[]], maxQueueDelayUs: [0], threads: [1] },
  };
  const plan = bench.plan({
    ...{ space, load: 'closed', concurrency: [...wideSpace.concurrency], latencyUs: wideSpace.latencyUs },
    budgetS: Number(option('budget', String((share * rounds * 48 * lookMs) / 1000))),
  });
  const planned = plan.search;
  if (planned.candidates.length !== 12)
    throw new Error(`${planned.candidates.length} candidates in place of ${wideCandidates.length}`);
  const all: Look[] = [];
  const verdicts: Verdict[] = [];
  const known: { readonly cell: Cell; readonly paired: PairedCells }[] = [];
  const write = async (cut: boolean) => {
    if (all.length < planned.candidates.length * wideSpace.concurrency.length) return null;
    const { text, rows } = documentOf(planned, all, verdicts, { cut, version });
    if (outFile !== '') await writeFile(outFile, text);
    return { text, rows };
  };
  const cut = await untilStopped(signal, () =>
    bench.serving(plan, async (served) => {
      await measureAll(planned, served, all);
      await keep('all', all);
      const best = optimumOf(all).cell;
      for (let seed = 1; seed <= seeds; seed += 1) {
        const search = seeded(planned, seed);
        const searched = await served.search(search);
        await keep(`seed ${seed}`, searched.looks);
        const found = foundBy(planned, search, seed, searched);
        say(`Seed ${seed} of ${seeds}: ${found.text}, ${found.seconds.toFixed(0)} s of load`);
        const isOptimum = found.cell === null || sameCell(found.cell, best);
        const cell = found.cell ?? best;
        const before = known.find((one) => sameCell(one.cell, cell));
        const paired = isOptimum
          ? null
          : (before?.paired ??
            (await pairCells([cell, best], pairs, (one) =>
              served.measure({ ...one, phase: 'confirm', ms: pairs.ms }),
            )));
        if (paired !== null && before === undefined) {
          known.push({ cell, paired });
          await keep(`pairs ${seed}`, [...paired.first, ...paired.second]);
        }
        verdicts.push({ found, paired });
        say(`  ${ratioText({ found, paired }).replace(' | ', ', p99 ')}`);
        await write(seed < seeds);
      }
    }),
  );
  const written = await write(cut);
  if (written !== null) say(`\n${written.text}`);
  if (cut) say(`Interrupted: ${verdicts.length} of ${seeds} seeds measured; nothing was judged.`);
  process.exitCode = cut ? 130 : exitCodeOf(written?.rows ?? []);
} finally {
  await wide.remove();
}
process.exit();
