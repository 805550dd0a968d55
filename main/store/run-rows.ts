import pLimit from 'p-limit';
import { WorkbenchError } from '../contract/errors';
import type { RunOrigin } from '../contract/run/run-content';
import type { RunList, RunSummary } from '../contract/run/run-outcome';
import { type JobStatusReader,withCurrentStatus } from './current-status';
import { readContent, stateIn } from './journal';
import { type RunFolder, runFolder } from './run-folder';
import { requireSameRun, type RunKey } from './run-key';
import { isSealedCreation, originOf } from './run-seals';
import { type KeptRow, makeRow, readJournalHead, readKeptRow, toSummary } from './summary';

/** Rows of the list that are read at the same time. */
const readAtOnce = 8;

/** Of the journals from which a list makes rows that was not to wait: those of a screen full of ordinary runs. */
const atHandBytes = 2 ** 19;

/** A run folder that cannot be read: collected, not thrown, so that the others are still shown. */
export interface UnreadableRun {
  readonly runId: string;
  readonly dir: string;
  readonly reason: string;
}

export interface ListedRuns {
  readonly runs: readonly RunSummary[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Run id -> folder, in the order of the ids, which begin with the time. */
type RunDirs = ReadonlyMap<string, string>;

type Row =
  | { readonly run: RunSummary; readonly isOutdated: boolean }
  | { readonly unreadable: UnreadableRun }
  | 'missing';

/** What may be read for rows that are not kept; another version's row is as good as one of this where `outdated`. */
interface Allowance {
  readonly bytes: number;
  readonly outdated: boolean;
}

const unlimited: Allowance = { bytes: Infinity, outdated: false };

/** What is there for the row of a run; `kept`: beside its journal, and good enough. */
interface Found {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly head: Awaited<ReturnType<typeof readJournalHead>>;
  readonly kept: KeptRow | null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const remedy = error instanceof WorkbenchError ? error.remedy : undefined;
  return remedy === undefined ? error.message : `${error.message}. ${remedy}`;
}

/** Looks for what a row is made of. */
async function find(
  runId: string,
  dir: string,
  outdated: boolean,
): Promise<Found | { readonly unreadable: UnreadableRun }> {
  const folder = runFolder(dir);
  try {
    const head = await readJournalHead(folder.journal);
    const kept = head === null ? null : await readKeptRow(folder, head.mark);
    return { runId, folder, head, kept: kept !== null && (outdated || !kept.isOutdated) ? kept : null };
  } catch (error) {
    return { unreadable: { runId, dir, reason: reasonOf(error) } };
  }
}

/** The rows of the run list: each from beside its journal, or made anew from it. */
export class RunRows {
  /** Every row was made once: what changed since then is little, and is waited for. */
  private allMade = false;
  /** Runs that a list had: a later one has them too, however large their journals have become. */
  private readonly listed = new Set<string>();

  constructor(
    private readonly key: RunKey,
    private readonly jobs: JobStatusReader,
  ) {}

  /** Newest first. */
  async list(dirs: RunDirs): Promise<ListedRuns> {
    const rows = await this.read(dirs, unlimited);
    return {
      runs: rows.flatMap((row) => (row !== 'missing' && 'run' in row ? [row.run] : [])),
      unreadable: rows.flatMap((row) => (row !== 'missing' && 'unreadable' in row ? [row.unreadable] : [])),
    };
  }

  /**
   * Newest first: rows that are kept, those of another version of the workbench too, and the newest of the others. Until
   * a list was whole, or {@link make} has come to its end; whole from then on.
   */
  async atHand(dirs: RunDirs): Promise<RunList> {
    const rows = await this.read(dirs, this.allMade ? unlimited : { bytes: atHandBytes, outdated: true });
    const found = rows.flatMap((row) => (row !== 'missing' && 'run' in row ? [row] : []));
    const outdated = found.flatMap(({ run, isOutdated }) => (isOutdated ? [run.runId] : []));
    const missing = rows.filter((row) => row === 'missing').length;
    for (const { run } of found) this.listed.add(run.runId);
    this.allMade ||= missing === 0 && outdated.length === 0;
    return { runs: found.map(({ run }) => run), outdated, missing };
  }

  /** Makes each row anew that is not kept, newest first and one at a time. @param onMade hears of each that was. */
  async make(dirs: RunDirs, signal: AbortSignal, onMade: () => void): Promise<void> {
    for (const [runId, dir] of [...dirs].reverse()) {
      if (signal.aborted) return;
      const found = await find(runId, dir, false);
      if (!('folder' in found) || found.kept !== null) continue;
      await this.rowOf(found);
      onMade();
    }
    this.allMade = true;
  }

  private async read(dirs: RunDirs, { bytes, outdated }: Allowance): Promise<readonly Row[]> {
    // A row mostly waits for the disk.
    const limit = pLimit(readAtOnce);
    const newest = await Promise.all(
      [...dirs].reverse().map(([runId, dir]) => limit(() => find(runId, dir, outdated))),
    );
    let left = bytes;
    const rows = newest.map((found): Promise<Row> => {
      const toRead = 'folder' in found && found.kept === null ? (found.head?.bytes ?? 0) : 0;
      if ('folder' in found && !this.listed.has(found.runId)) {
        if (toRead > left) return Promise.resolve('missing');
        left -= toRead;
      }
      return limit(() => this.rowOf(found));
    });
    return Promise.all(rows);
  }

  private async rowOf(found: Found | { readonly unreadable: UnreadableRun }): Promise<Row> {
    if (!('folder' in found)) return found;
    const { runId, folder, head, kept } = found;
    try {
      const { row, isOutdated } = kept ?? (await this.madeRow(folder, head?.mark ?? null));
      requireSameRun(row.runId, runId, folder.dir);
      const origin = await this.originOf(folder, head?.first ?? null);
      return { run: await withCurrentStatus({ ...row, origin }, folder.dir, this.jobs), isOutdated };
    } catch (error) {
      return { unreadable: { runId, dir: folder.dir, reason: reasonOf(error) } };
    }
  }

  private async madeRow(folder: RunFolder, mark: string | null): Promise<KeptRow> {
    const row = await makeRow(folder, mark, async () =>
      toSummary(stateIn(await readContent(folder), folder.journal), folder.dir),
    );
    return { row, isOutdated: false };
  }

  /**
   * Never from what is kept beside the journal: everybody can write that. That somebody else changed the specification of a
   * run of this home is found when the run is opened.
   */
  private async originOf(folder: RunFolder, first: object | null): Promise<RunOrigin> {
    if (first !== null && (await isSealedCreation(this.key, first))) return 'own';
    return originOf(this.key, await readContent(folder));
  }
}
