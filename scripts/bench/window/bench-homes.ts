import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '../../../main/contract/run/run-events';
import { homeLayout } from '../../../main/platform/layout';
import { formatJournalLine } from '../../../main/store/journal';
import { runFolder } from '../../../main/store/run-folder';
import { RunKey } from '../../../main/store/run-key';
import { sealedCreation } from '../../../main/store/run-seals';
import { RunStore } from '../../../main/store/run-store';
import {
  completeBodies,
  createdBodies,
  deployed,
  journalFixture,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../test/support/run-state';

/** Levels of the large run, and measurement windows of each of them. */
export const largeLevels = 10;
const windowsOfLevel = 10_000;

const points = Array.from({ length: largeLevels }, (_unused, at) => {
  const point = pointFixture({ concurrency: at + 1 });
  const [first] = point.windows;
  if (first === undefined) throw new Error('The point has no window');
  const windows = Array.from({ length: windowsOfLevel }, (_none, index) => {
    const wave = 1 + 0.2 * Math.sin(index / 50) + (index % 997 === 0 ? 3 : 0);
    return {
      ...first,
      avgUs: first.avgUs * wave,
      p50Us: (point.p50Us ?? NaN) * wave,
      p99Us: point.p99Us * wave,
    };
  });
  return { ...point, windows };
});
const largeBodies = [
  ...createdBodies(
    specFixture((spec) => (spec.performance.concurrency = points.map((one) => one.concurrency))),
  ),
  { type: 'step-started', step: 'online', attempt: 1, key: 'key-online' } as const,
  ...points.map((point) => measurementBody('online', point)),
];

/** A run of 100,000 measurement windows that was cut in its sweep. */
export const largeState = deployed(stateOf(largeBodies));
export const largeRun = journalFixture(largeBodies);

/** Without fields of `performance` that have defaults, and that an earlier version does not know. */
function withoutFields(entry: JournalEntry, names: readonly string[]): JournalEntry {
  if (entry.type !== 'run-created' || !('spec' in entry)) return entry;
  const { performance, ...spec } = structuredClone(entry.spec);
  for (const name of names) Reflect.deleteProperty(performance, name);
  return { ...entry, spec: { ...spec, performance } };
}

/** Finished sweeps of some levels each, as weeks of work leave them. */
export const ordinaryRuns = (
  count: number,
  without: readonly string[] = [],
): readonly (readonly JournalEntry[])[] =>
  Array.from({ length: count }, (_unused, at) =>
    journalFixture(
      completeBodies().map((body) =>
        body.type === 'run-created'
          ? { ...body, runId: `${body.runId.slice(0, -4)}${String(1000 + at)}` }
          : body,
      ),
    ).map((entry) => withoutFields(entry, without)),
  );

/** Keeps the rows of the list as another version of the workbench does. */
async function keepOtherRows(runsDir: string, key: RunKey): Promise<void> {
  const { runs } = await new RunStore(runsDir, key).list();
  for (const { dir } of runs) {
    const { summary: path } = runFolder(dir);
    const kept = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...kept, madeBy: 0 }));
  }
}

/**
 * A home with the tools of `toolchainHome` and these runs, made by it.
 * @param rows of the list: those of another version, or none, as where that version's rows have other fields
 */
export async function prepareHome(
  toolchainHome: string,
  runs: readonly (readonly JournalEntry[])[],
  rows: 'other' | 'none' = 'none',
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'workbench-bench-home-'));
  for (const name of ['python', 'triton', 'perf-analyzer', 'electron']) {
    await symlink(join(toolchainHome, name), join(home, name));
  }
  const key = new RunKey(homeLayout(home).runKey);
  for (const [first, ...others] of runs) {
    if (first?.type !== 'run-created')
      throw new Error('The journal does not begin with the creation of a run');
    const dir = join(home, 'runs', first.runId);
    await mkdir(dir, { recursive: true });
    const entries = [{ ...first, ...(await sealedCreation(key, first)) }, ...others];
    const text = entries.map((entry) => `${formatJournalLine(entry)}\n`);
    await writeFile(join(dir, 'journal.jsonl'), text.join(''));
  }
  if (rows === 'other') await keepOtherRows(join(home, 'runs'), key);
  return home;
}
