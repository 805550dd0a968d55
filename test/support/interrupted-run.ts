import { readdir, readFile, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { hashFile, listFiles } from '../../main/platform/files';
import { homeLayout } from '../../main/platform/layout';
import { leaseFile, leaseHolder } from '../../main/store/file-lease';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { RunKey } from '../../main/store/run-key';
import { RunStore } from '../../main/store/run-store';

/** What a finished run has come to; equal for a run that was killed and one that was not. */
export interface RunFacts {
  /** Keys of the measured levels, sorted; a level that was measured twice stands twice. */
  readonly levels: readonly string[];
  readonly steps: readonly string[];
  /** Path -> SHA-256 of what the steps have left. */
  readonly files: Readonly<Record<string, string>>;
  readonly reports: readonly string[];
}

const journalOf = (home: string, runId: string): string =>
  runFolder(join(homeLayout(home).runs, runId)).journal;

/** The runs of a home; also folders of which nobody knows what they are. */
const runNames = (home: string): Promise<string[]> => readdir(homeLayout(home).runs).catch(() => []);

/** The run that was created in a home, null when none has come so far: a folder under a temporary name is no run yet. */
export async function createdRun(home: string): Promise<string | null> {
  for (const runId of (await runNames(home))
    .filter((name) => !name.startsWith('.'))
    .sort()
    .reverse()) {
    const created = await readJournal(journalOf(home, runId)).catch(() => null);
    if (created?.entries[0]?.type === 'run-created') return runId;
  }
  return null;
}

/** @param lasting which of the files below the run folder an interruption must not change. */
export async function factsOf(
  home: string,
  runId: string,
  lasting: (path: string) => boolean,
): Promise<RunFacts> {
  const { runs, runKey } = homeLayout(home);
  const { folder, state } = await new RunStore(runs, new RunKey(runKey)).load(runId);
  const { entries } = await readJournal(folder.journal);
  const files: Record<string, string> = {};
  for (const path of (await listFiles(folder.dir)).filter(lasting)) {
    files[path] = await hashFile(join(folder.dir, path));
  }
  return {
    levels: entries.flatMap((entry) => (entry.type === 'measurement' ? [entry.key] : [])).sort(),
    // A session is not opened again where nothing is left to do in it.
    steps: state.steps.map(({ id, status }) => `${id} ${status === 'skipped' ? 'done' : status}`),
    files,
    reports: (await listFiles(folder.results).catch(() => [])).filter((name) => !name.endsWith('.tmp')),
  };
}

/** What of a journal that was there before is not there any more, or not as it was. */
export async function lostEntries(
  home: string,
  runId: string,
  before: readonly JournalEntry[],
): Promise<readonly string[]> {
  const { entries, damagedLines } = await readJournal(journalOf(home, runId));
  const lost = before.filter((entry) => JSON.stringify(entries[entry.seq - 1]) !== JSON.stringify(entry));
  return [
    ...lost.map(({ seq, type }) => `record ${seq} (${type}) is lost`),
    ...damagedLines.map((line) => `line ${line} is damaged`),
  ];
}

export const entriesOf = async (home: string, runId: string): Promise<readonly JournalEntry[]> =>
  (await readJournal(journalOf(home, runId))).entries;

/** Makes everything in the home look two days old: what a dead process has left counts as left only then. */
export async function age(home: string): Promise<void> {
  const then = new Date(Date.now() - 48 * 3600 * 1000);
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path);
      if (!entry.isSymbolicLink()) await utimes(path, then, then);
    }
  };
  await walk(home);
}

const temporary = /\.tmp\b|lease\.json\.|\.ticket$|^cache\/\.|^engines\/|\.request$/;

/** Files of a home that belong to nobody once nothing works there. */
export async function leftIn(home: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of ['runs', 'cache', 'devices', 'engines']) {
    const names = await listFiles(join(home, folder)).catch(() => []);
    found.push(...names.map((name) => relative(home, join(home, folder, name))));
  }
  const left = found.filter((name) => temporary.test(name));
  // The lease of the dead is taken by whoever comes next: only one that is held is left.
  for (const name of found.filter((one) => basename(one) === leaseFile)) {
    if ((await leaseHolder(dirname(join(home, name)))) !== null) left.push(`${name}, held`);
  }
  for (const runId of await runNames(home)) {
    const text = await readFile(journalOf(home, runId), 'utf8').catch(() => '');
    if (!text.includes('"type":"run-created"')) left.push(`runs/${runId}, which is no run`);
  }
  return left;
}
