import { setTimeout as sleep } from 'node:timers/promises';
import { finishMove } from '../home/finish-move';
import { sweepSharedFiles } from '../perf/native/requests/shared-names';
import type { Runs } from '../pipeline/runs';
import { bytesBelow } from '../platform/files';
import { readHomePointer } from '../platform/layout';
import { followRuns } from '../store/follow';
import { sweepHomeFiles } from '../store/run-files';
import type { CoreParts } from './core-parts';
import { retireRuns } from './retention';
import { firstMs } from './run-list';

/** How long a removed run can be brought back after the window was closed. */
const trashMs = 24 * 3600 * 1000;

/** What a clean-up is asked to remove, besides what dead workbenches left. */
export interface CleanRequest {
  readonly cache: boolean;
  readonly trash: boolean;
  /** Runs that are deleted for good. */
  readonly runIds: readonly string[];
}

/** What a clean-up would remove, and what that frees; null: it is not asked for. */
export interface CleanPlan {
  readonly cache: { readonly bytes: number } | null;
  readonly trash: { readonly runIds: readonly string[]; readonly bytes: number } | null;
  readonly runs: readonly { readonly runId: string; readonly bytes: number }[];
}

export interface Cleaned {
  readonly endedServers: readonly number[];
  /** Process ids of what else dead workbenches had started, those ended at this start too. */
  readonly endedChildren: readonly number[];
  readonly removedContainers: readonly string[];
  /** Names under /dev/shm that dead workbenches left, those removed at this start too. */
  readonly sharedMemoryFiles: readonly string[];
  /** null: the cache was not asked for. */
  readonly cacheBytes: number | null;
  readonly removedRuns: readonly string[];
  /** Runs of the trash that are gone for good. */
  readonly emptiedRuns: readonly string[];
}

export interface Upkeep {
  /** Removes nothing. Throws run-unknown. */
  planClean(request: CleanRequest): Promise<CleanPlan>;
  clean(request: CleanRequest): Promise<Cleaned>;
  /** Stops following, and waits for what was begun at the start. */
  close(): Promise<void>;
}

/** Old trash, runs beyond the retention, and what a move left in the old home. Never rejects. */
async function tidyHome(parts: CoreParts): Promise<void> {
  const { trash, settings, layout, options } = parts;
  // What cannot be deleted must not keep the window closed; `clean` says why.
  const tidy = async (): Promise<void> => {
    await trash.empty(trashMs).catch(() => []);
    const { values } = await settings.read();
    const runIds = await retireRuns(parts, values).catch(() => []);
    if (runIds.length === 0) return;
    parts.emit({ type: 'runs-retired', runIds });
    parts.emit({ type: 'runs-changed' });
  };
  const isMoved = readHomePointer(options.env)?.previous !== undefined;
  const finished = finishMove(layout.home, options.env).catch(() => undefined);
  // Nobody waits for what is left of an old home. Only what the new home still has is removed there, so that comes first.
  if (isMoved) void finished.then(tidy).catch(() => undefined);
  else await tidy();
}

/**
 * Ends what dead workbenches left. Where the core is to follow, for a window, that comes behind the list of runs, for which a
 * person waits: each run sweeps again before it starts. The home is tidied then, too, and other processes' runs are told of
 * from now on.
 */
export async function startUpkeep(parts: CoreParts, runs: Runs): Promise<Upkeep> {
  const { engines, store, trash, cache, emit, events } = parts;
  const follow = parts.options.follow === true;
  const endedChildren: number[] = [];
  const sharedMemoryFiles: string[] = [];
  const closing = new AbortController();
  const begin = async (): Promise<void> => {
    if (follow) await sleep(firstMs, undefined, { signal: closing.signal });
    endedChildren.push(...(await engines.sweep()).endedChildren);
    await sweepHomeFiles(parts.layout);
    sharedMemoryFiles.push(...(await sweepSharedFiles()));
    if (follow) await tidyHome(parts);
    // Hosts may be slow or away, and nobody waits for what a run left there.
    if (follow) void engines.sweepHosts().catch(() => undefined);
  };
  const begun = begin();
  if (follow) begun.catch(() => undefined);
  else await begun;
  const stopFollowing = follow ? followRuns(store, (runId) => runs.isOwn(runId), events) : () => undefined;
  return {
    close: async () => {
      stopFollowing();
      closing.abort();
      await begun.catch(() => undefined);
    },
    planClean: async (request) => {
      const runs: CleanPlan['runs'][number][] = [];
      for (const runId of request.runIds) {
        runs.push({ runId, bytes: await bytesBelow((await store.folderOf(runId)).dir) });
      }
      return {
        cache: request.cache ? { bytes: await cache.bytes() } : null,
        trash: request.trash ? await trash.contents() : null,
        runs,
      };
    },
    clean: async ({ runIds, ...request }) => {
      // What failed then is tried again now.
      await begun.catch(() => undefined);
      const { ended, removedContainers, ...swept } = await engines.sweep({ all: true, everywhere: true });
      endedChildren.push(...swept.endedChildren);
      sharedMemoryFiles.push(...(await sweepSharedFiles()));
      for (const runId of runIds) await store.remove(runId);
      if (runIds.length > 0) emit({ type: 'runs-changed' });
      const emptiedRuns = request.trash ? await trash.empty(0) : [];
      const cacheBytes = request.cache ? await cache.clear() : null;
      return {
        endedServers: ended,
        endedChildren: endedChildren.splice(0),
        removedContainers,
        sharedMemoryFiles: sharedMemoryFiles.splice(0),
        cacheBytes,
        removedRuns: runIds,
        emptiedRuns,
      };
    },
  };
}
