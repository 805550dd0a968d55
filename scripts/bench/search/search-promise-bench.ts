import { appendFile, writeFile } from 'node:fs/promises';
import type { Look, SearchRequest } from '../../../main/contract/study/search';
import { secondsOf } from '../../../main/domain/study/search/next-looks';
import { searchAnswer } from '../../../main/domain/study/search/search-answer';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { exitCodeOf, factTable, type Judged, judgedTable, option, say } from '../bench-facts';
import { cutText } from '../until-cut';
import { stopOfBench, untilStopped } from './bench-stop';
import { holdsRate } from './holds-rate';
import { openSearchBench, type SearchBench } from './served-search';
import { makeWideHome } from './wide-home';

const cases = Number(option('cases', '10'));
const seconds = Number(option('seconds', '120'));
const budgetS = Number(option('budget', '75'));
const outFile = option('out', '');
const looksFile = option('looks', '');
const more = 1.25;
const goals = { held: 0.9, over: 0.8 } as const;

/** Targets from tight to loose, each over two spaces. */
const targetsMs = [20, 30, 40, 60, 80] as const;
const spaces: readonly SearchRequest['space'][] = [
  { instances: [1, 2], maxBatchSize: [8] },
  { instances: [1, 2], maxBatchSize: [4, 16] },
].map((space) => ({
  ...space,
  ...{ batching: ['dynamic' as const], preferredBatchSizes: [[]], maxQueueDelayUs: [0], threads: [1] },
}));

interface Promised {
  readonly targetMs: number;
  readonly text: string;
  /** null: the search gave no rate. */
  readonly rate: number | null;
  readonly searchS: number;
  readonly atRate: Look | null;
  readonly atMore: Look | null;
}

const holds = (look: Look | null, targetMs: number): boolean =>
  look !== null && holdsRate(look, targetMs * 1000);

/** A search, then its rate and a higher one for so long, on the server that it was searched on. */
async function promiseOf(bench: SearchBench, at: number): Promise<Promised> {
  const targetMs = targetsMs[Math.floor(at / spaces.length) % targetsMs.length] ?? 40;
  const space = spaces[at % spaces.length] ?? {};
  const plan = bench.plan({ space, load: 'open', latencyUs: targetMs * 1000, budgetS });
  return bench.serving(plan, async (served) => {
    const searched = await served.search(plan.search);
    const { winner } = searchAnswer(plan.search, searched);
    const searchS = secondsOf(searched);
    if (looksFile !== '') {
      const lines = searched.looks.map((look) => `${JSON.stringify({ case: at + 1, targetMs, ...look })}\n`);
      await appendFile(looksFile, lines.join(''));
    }
    const rate = winner?.load ?? null;
    if (winner === null || rate === null) {
      return { targetMs, text: 'none', rate: null, searchS, atRate: null, atMore: null };
    }
    const measure = (requestRate: number, forS: number) =>
      served.measure({
        ...{ candidate: winner.candidate, phase: 'confirm', load: { requestRate }, ms: 1000 * forS },
      });
    const atRate = await measure(rate, seconds);
    return {
      targetMs,
      text: winner.text,
      rate,
      searchS,
      atRate,
      atMore: await measure(more * rate, seconds / 2),
    };
  });
}

function documentOf(found: readonly Promised[], { cut, version }: { cut: boolean; version: string | null }) {
  const held = found.filter(({ atRate, targetMs }) => holds(atRate, targetMs)).length;
  const over = found.filter(({ atMore, targetMs }) => atMore !== null && !holds(atMore, targetMs)).length;
  const wanted = (share: number) => Math.ceil(share * found.length);
  const row = (name: string, count: number, share: number): Judged => ({
    ...{ name, value: `${count} of ${found.length}`, limit: `at least ${wanted(share)}` },
    kept: count >= wanted(share),
  });
  const rows = [
    row(`The promised rate holds for ${seconds} s`, held, goals.held),
    row(`${more} × that rate does not hold for ${seconds / 2} s`, over, goals.over),
  ];
  const lookText = (look: Look | null, targetMs: number) =>
    look === null
      ? '– | –'
      : `${(look.latencyUs / 1000).toFixed(1)} | ${holds(look, targetMs) ? 'yes' : 'no'}`;
  const text = [
    '# The rate that a search promises',
    '',
    'Written by `npm run bench -- search-promise`. Searches of the model of `scripts/bench/search/wide_model.py` under open load (requests with Poisson arrivals) with',
    `${budgetS} s of load each, over ${targetsMs.length} targets of p99 and ${spaces.length} spaces. The rate in the answer is then sent for ${seconds} s to the configuration in the answer, and`,
    `${more} × that rate for ${seconds / 2} s. A rate holds where its p99, from the time at which each request was due, is within the target, 97 % of the`,
    'requests that were due are answered in time, and at most 1 % fail.',
    '',
    ...(cut ? cutText(`${found.length} of ${cases} cases measured`) : []),
    ...factTable(version ?? 'unknown', []),
    '',
    ...(found.length === 0 ? [] : judgedTable(rows)),
    '',
    `| p99 target, ms | answer | promised, requests/s | load of the search, s | p99 there, ms | holds | p99 at ${more} ×, ms | holds |`,
    '|---|---|---|---|---|---|---|---|',
    ...found.map(
      ({ targetMs, text: answer, rate, searchS, atRate, atMore }) =>
        `| ${targetMs} | ${answer} | ${rate ?? '–'} | ${searchS.toFixed(0)} | ${lookText(atRate, targetMs)} | ${lookText(atMore, targetMs)} |`,
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
  const found: Promised[] = [];
  const cut = await untilStopped(signal, async () => {
    for (let at = 0; at < cases; at += 1) {
      const one = await promiseOf(bench, at);
      found.push(one);
      const p99 = (look: Look | null) => (look === null ? '–' : `${(look.latencyUs / 1000).toFixed(1)} ms`);
      say(
        `Case ${at + 1} of ${cases}, p99 ${one.targetMs} ms: ${one.rate ?? 'no'} requests/s promised, p99 ${p99(one.atRate)}; at ${more} × ${p99(one.atMore)}`,
      );
      if (outFile !== '') await writeFile(outFile, documentOf(found, { cut: at + 1 < cases, version }).text);
    }
  });
  const { text, rows } = documentOf(found, { cut, version });
  if (found.length > 0) say(`\n${text}`);
  if (found.length > 0 && outFile !== '') await writeFile(outFile, text);
  if (cut) say(`Interrupted: ${found.length} of ${cases} cases measured; nothing was judged.`);
  process.exitCode = cut ? 130 : exitCodeOf(rows);
} finally {
  await wide.remove();
}
process.exit();
