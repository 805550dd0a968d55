import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Look } from '../../../main/contract/study/search';
import { studyEntrySchema } from '../../../main/contract/study/study';
import { createRandom } from '../../../main/domain/random';
import { secondsOf } from '../../../main/domain/study/search/next-looks';
import { detectLocalTriton } from '../../../main/engine/local/local-triton';
import { homeLayout } from '../../../main/platform/layout';
import { exitCodeOf, factTable, type Judged, judgedTable, option, say } from '../bench-facts';
import { cutText } from '../until-cut';
import { stopOfBench, untilStopped } from './bench-stop';
import { makeWideHome, type WideHome } from './wide-home';

const kills = Number(option('kills', '20'));
const seed = Number(option('seed', '1'));
const outFile = option('out', '');
const budgetS = 40;
/** From the start of a process to its kill: while it starts Triton, loads, measures, or ends. */
const killS = { from: 1, to: 14 } as const;

interface Searched {
  readonly name: string;
  readonly kills: number;
  readonly looks: number;
  /** Finished measurements that a later process did not have, or had at another place. */
  readonly lost: number;
  readonly seconds: number;
  readonly exitCode: number | null;
}

/** What a kill leaves of a line that was being written is no entry. */
function entriesOf(text: string) {
  return text.split('\n').flatMap((line) => {
    try {
      const entry = studyEntrySchema.safeParse(JSON.parse(line));
      return entry.success ? [entry.data] : [];
    } catch {
      return [];
    }
  });
}

async function looksOf(wide: WideHome, name: string): Promise<readonly Look[]> {
  const path = join(homeLayout(wide.home).studies, name, 'journal.jsonl');
  const text = await readFile(path, 'utf8').catch(() => '');
  return entriesOf(text).flatMap((entry) => (entry.type === 'look' ? [entry.look] : []));
}

/** Processes whose command line has the home in it: Triton and what it started. */
async function leftProcesses({ home }: WideHome): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(home)).length;
}

/** Starts the command line and kills it, it alone, unless it ends before. @returns its exit code; null: it was killed */
async function killedAfter(
  wide: WideHome,
  args: readonly string[],
  afterS: number,
  signal: AbortSignal,
): Promise<number | null> {
  const child = spawn(process.execPath, [option('cli', ''), ...args], { env: wide.env, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  await Promise.race([ended, sleep(1000 * afterS, undefined, { signal }).catch(() => undefined)]);
  if (child.exitCode === null) child.kill('SIGKILL');
  return ended;
}

const without = (looks: readonly Look[], later: readonly Look[]): number =>
  looks.filter((look, at) => JSON.stringify(look) !== JSON.stringify(later[at])).length;

const random = createRandom(seed);
const signal = stopOfBench();
const wide = await makeWideHome();

/** One search, killed again and again until it is at its end. */
async function searchWithKills(name: string, load: 'open' | 'closed', most: number): Promise<Searched> {
  const first = [
    ...['search', wide.runId, '--name', name, '--load', load, '--p99', '60ms', '--budget', `${budgetS}s`],
    ...['--instances', '1,2', '--max-batch-sizes', '4,8', '--batching', 'dynamic', '--queue-delays-us', '0'],
    ...['--threads', '1', ...(load === 'closed' ? ['--concurrency', '4,8,16'] : [])],
  ];
  let [done, lost] = [0, 0];
  let before: readonly Look[] = [];
  for (;;) {
    signal.throwIfAborted();
    // Before its first line is in the journal there is nothing to resume.
    const isKnown = (await readdir(homeLayout(wide.home).studies).catch((): string[] => [])).includes(name);
    const afterS = done < most ? killS.from + random() * (killS.to - killS.from) : 1e6;
    const exitCode = await killedAfter(wide, isKnown ? ['studies', 'resume', name] : first, afterS, signal);
    signal.throwIfAborted();
    const looks = await looksOf(wide, name);
    lost += without(before, looks);
    before = looks;
    if (exitCode !== null)
      return {
        name,
        kills: done,
        looks: looks.length,
        lost,
        seconds: secondsOf({ looks, failed: {} }),
        exitCode,
      };
    done += 1;
    say(`${name}: kill ${done} of ${most} after ${afterS.toFixed(1)} s, ${looks.length} measurements kept`);
  }
}

function documentOf(
  searches: readonly Searched[],
  left: number,
  { cut, version }: { readonly cut: boolean; readonly version: string | null },
) {
  const sum = (read: (one: Searched) => number) => searches.reduce((total, one) => total + read(one), 0);
  const longest = Math.max(0, ...searches.map(({ seconds }) => seconds));
  const ended = searches.filter(({ exitCode }) => exitCode === 0).length;
  const rows: readonly Judged[] = [
    {
      ...{ name: 'Kills', value: String(sum((one) => one.kills)), limit: `at least ${kills}` },
      kept: sum((one) => one.kills) >= kills,
    },
    {
      ...{ name: 'Searches that end with an answer', value: `${ended} of ${searches.length}`, limit: 'all' },
      kept: ended === searches.length,
    },
    {
      name: 'Finished measurements lost, changed or repeated',
      ...{ value: `${sum((one) => one.lost)} of ${sum((one) => one.looks)}`, limit: '0' },
      kept: sum((one) => one.lost) === 0,
    },
    {
      ...{ name: 'Most load of a search, s', value: longest.toFixed(1), limit: `at most ${budgetS}` },
      kept: longest <= budgetS,
    },
    {
      name: 'Processes left of Triton and its models',
      ...{ value: String(left), limit: '0', kept: left === 0 },
    },
  ];
  const text = [
    '# A search that is killed again and again',
    '',
    'Written by `npm run bench -- search-kills`. Searches of the model of `scripts/bench/search/wide_model.py` by the command line, killed with SIGKILL at',
    `random moments from ${killS.from} to ${killS.to} s after each start (seed ${seed}), and continued with \`studies resume\`. Triton is not killed with it.`,
    '',
    ...(cut ? cutText(`${searches.length} searches ended`) : []),
    ...factTable(version ?? 'unknown', []),
    '',
    ...judgedTable(rows),
    '',
    '| search | kills | measurements | load, s | exit code |',
    '|---|---|---|---|---|',
    ...searches.map(
      (one) =>
        `| ${one.name} | ${one.kills} | ${one.looks} | ${one.seconds.toFixed(1)} | ${one.exitCode ?? '–'} |`,
    ),
    '',
  ].join('\n');
  return { text, rows };
}

try {
  const { version } = await detectLocalTriton(homeLayout(wide.home));
  const searches: Searched[] = [];
  const cut = await untilStopped(signal, async () => {
    for (let number = 1; searches.reduce((sum, one) => sum + one.kills, 0) < kills; number += 1) {
      const left = kills - searches.reduce((sum, one) => sum + one.kills, 0);
      const load = number % 2 === 1 ? 'closed' : 'open';
      searches.push(
        await searchWithKills(`kills-${number}-${load}`, load, Math.min(left, Math.ceil(kills / 2))),
      );
    }
  });
  const { text, rows } = documentOf(searches, await leftProcesses(wide), { cut, version });
  say(`\n${text}`);
  if (outFile !== '') await writeFile(outFile, text);
  if (cut) {
    // What the last process left is ended by the next one.
    await wide.cli('clean', '--yes').catch(() => undefined);
    say('Interrupted: nothing was judged.');
  }
  process.exitCode = cut ? 130 : exitCodeOf(rows);
} finally {
  await wide.remove();
}
process.exit();
