import pLimit from 'p-limit';
import { WorkbenchError } from '../contract/errors';
import type { RunOrigin } from '../contract/run/run-content';
import type { RunList, RunSummary } from '../contract/run/run-outcome';
import { type JobStatusReader, withCurrentStatus } from './current-status';
import { readContent, stateIn } from './journal';
import { type RunFolder, runFolder } from './run-folder';
import { requireSameRun, type RunKey } from './run-key';
import { isSealedCreation, originOf } from './run-seals';
import { type KeptRow, makeRow, readJournalHead, readKeptRow, toSummary } from './summary';

/** Concurrent reads. */
const readAtOnce = 8;

/** Journal bytes read for a quick list: about a screen of runs. */
const atHandBytes = 2 ** 19;

/** Collected, so that other runs are still listed. */
export interface UnreadableRun {
  readonly runId: string;
  readonly dir: string;
  readonly reason: string;
}

export interface ListedRuns {
  readonly runs: readonly RunSummary[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Run id -> folder, sorted by id and so by time. */
type RunDirs = ReadonlyMap<string, string>;

type Row =
  | { readonly run: RunSummary; readonly isOutdated: boolean }
  | { readonly unreadable: UnreadableRun }
  | 'missing';

/** Budget for rows without a cached one; `outdated` accepts rows of other versions. */
interface Allowance {
  readonly bytes: number;
  readonly outdated: boolean;
}

const unlimited: Allowance = { bytes: Infinity, outdated: false };

/** Data for a row; `kept`: a valid cached row. */
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

/** Rows of the run list, cached beside journals or recomputed. */
export class RunRows {
  /** All rows are cached, so remaining work is small and awaited. */
  private allMade = false;
  /** Listed runs stay listed, however large their journals grow. */
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

  /** Newest first: cached rows and the newest of the others. Complete once a list or {@link make} was. */
  async atHand(dirs: RunDirs): Promise<RunList> {
    const rows = await this.read(dirs, this.allMade ? unlimited : { bytes: atHandBytes, outdated: true });
    const found = rows.flatMap((row) => (row !== 'missing' && 'run' in row ? [row] : []));
    const outdated = found.flatMap(({ run, isOutdated }) => (isOutdated ? [run.runId] : []));
    const missing = rows.filter((row) => row === 'missing').length;
    for (const { run } of found) this.listed.add(run.runId);
    this.allMade ||= missing === 0 && outdated.length === 0;
    return { runs: found.map(({ run }) => run), outdated, missing };
  }

  /** Computes missing rows, newest first. @param onMade called for each */
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
    // Bound by disk latency.
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

  /** Never cached, because anyone can write that file. Foreign changes to own runs are detected when they are opened. */
  private async originOf(folder: RunFolder, first: object | null): Promise<RunOrigin> {
    if (first !== null && (await isSealedCreation(this.key, first))) return 'own';
    return originOf(this.key, await readContent(folder));
  }
}
