import { sweepSharedFiles } from '../perf/native/requests/shared-names';
import type { Runs } from '../pipeline/runs';
import { followRuns } from '../store/follow';
import { sweepHomeFiles } from '../store/run-files';
import type { CoreParts } from './core-parts';

/** How long a removed run can be brought back after the window was closed. */
const trashMs = 24 * 3600 * 1000;

export interface Cleaned {
  readonly endedServers: readonly number[];
  /** Process ids of what else dead workbenches had started, those ended at this start too. */
  readonly endedChildren: readonly number[];
  readonly removedContainers: readonly string[];
  /** Names under /dev/shm that dead workbenches left, those removed at this start too. */
  readonly sharedMemoryFiles: readonly string[];
  readonly cacheBytes: number;
  readonly removedRuns: readonly string[];
  /** Runs of the trash that are gone for good. */
  readonly emptiedRuns: readonly string[];
}

interface Upkeep {
  clean(runIds: readonly string[]): Promise<Cleaned>;
  stopFollowing(): void;
}

/** Ends what dead workbenches left and, where the core is to follow, tells of other processes' runs from now on. */
export async function startUpkeep(parts: CoreParts, runs: Runs): Promise<Upkeep> {
  const { engines, store, trash, cache, emit, events } = parts;
  const follow = parts.options.follow === true;
  const endedChildren = [...(await engines.sweep()).endedChildren];
  await sweepHomeFiles(parts.layout);
  const sharedMemoryFiles = [...(await sweepSharedFiles())];
  // What cannot be deleted must not keep the window closed; `clean` says why.
  if (follow) await trash.empty(trashMs).catch(() => []);
  return {
    stopFollowing: follow ? followRuns(store, (runId) => runs.isOwn(runId), events) : () => undefined,
    clean: async (runIds) => {
      const { ended, removedContainers, ...swept } = await engines.sweep({ all: true });
      endedChildren.push(...swept.endedChildren);
      sharedMemoryFiles.push(...(await sweepSharedFiles()));
      for (const runId of runIds) await store.remove(runId);
      if (runIds.length > 0) emit({ type: 'runs-changed' });
      const emptiedRuns = await trash.empty(0);
      const cacheBytes = await cache.clear();
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
