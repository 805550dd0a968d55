import { realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreEvent, Handlers } from '../contract/api';
import { leftOutText } from '../contract/run/run-events';
import type { RunSummary } from '../contract/run/run-outcome';
import type { Settings } from '../contract/settings/settings';
import { DeploymentStore } from '../deployments/deployment-store';
import { finishMove } from '../home/move-home';
import { sweepSharedFiles } from '../perf/native/requests/shared-names';
import type { Runs } from '../pipeline/runs';
import { freedBytes } from '../platform/files';
import { readHomePointer } from '../platform/layout';
import { followRuns } from '../store/follow';
import { sweepHomeFiles } from '../store/run-files';
import type { RunStore } from '../store/run-store';
import type { CoreParts } from './core-parts';
import { unusedPipelines } from './huggingface/unused-pipelines';

const dayMs = 24 * 3600 * 1000;

/** Runs that can be continued, or are active. */
const unfinished: ReadonlySet<RunSummary['status']> = new Set([
  'created',
  'running',
  'interrupted',
  'paused',
]);

/**
 * Runs that a retention of `days` moves to the trash, oldest first. Keeps runs with a name, tag or note, unfinished or
 * recently changed ones, those of deployments, and those outside the home (`--out`).
 */
export function retiredRuns(
  runs: readonly RunSummary[],
  {
    days,
    nowMs,
    deployed,
    folder,
  }: {
    readonly days: number;
    readonly nowMs: number;
    readonly deployed: ReadonlySet<string>;
    readonly folder: string;
  },
): readonly RunSummary[] {
  const isOld = ({ createdAt, updatedAt }: RunSummary): boolean => {
    const lastMs = Math.max(Date.parse(createdAt), Date.parse(updatedAt));
    return nowMs - lastMs > days * dayMs;
  };
  return runs
    .filter((run) => run.name === null && run.tags.length === 0 && run.note.trim() === '')
    .filter((run) => !unfinished.has(run.status) && leftOutText(run) === null)
    .filter(({ runId }) => !deployed.has(runId))
    .filter(({ dir }) => dirname(dir) === folder)
    .filter(isOld)
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** Runs that deployments were made from. */
export async function deployedRuns(layout: CoreParts['layout']): Promise<ReadonlySet<string>> {
  const deployments = new DeploymentStore(layout.deployments);
  const deployed = new Set<string>();
  for (const id of await deployments.ids()) {
    const { deployment } = await deployments.load(id);
    for (const { active, previous } of Object.values(deployment.models)) {
      for (const version of [active, previous]) if (version !== null) deployed.add(version.runId);
    }
  }
  return deployed;
}

/** Runs that this retention moves to the trash, without those of deployments. */
export async function findRetired(
  { store, layout, now }: Pick<CoreParts, 'store' | 'layout' | 'now'>,
  days: number,
): Promise<ReturnType<typeof retiredRuns>> {
  const deployed = await deployedRuns(layout);
  const { runs } = await store.list();
  const folder = await realpath(layout.runs).catch(() => layout.runs);
  return retiredRuns(runs, { days, nowMs: now().getTime(), deployed, folder });
}

/** Applies the retention. @returns the ids of the moved runs */
async function retireRuns(
  parts: Pick<CoreParts, 'store' | 'layout' | 'now' | 'trash'>,
  settings: Pick<Settings, 'runs.keepDays'>,
): Promise<readonly string[]> {
  const days = settings['runs.keepDays'];
  if (days === null) return [];
  const retired: string[] = [];
  for (const { runId } of await findRetired(parts, days)) {
    // Skips a run that is active by now.
    await parts.trash.remove(runId).then(
      () => retired.push(runId),
      () => undefined,
    );
  }
  return retired;
}

interface ListParts {
  readonly store: Pick<RunStore, 'listAtHand' | 'makeRows'>;
  readonly emit: (event: CoreEvent) => void;
}

/** Milliseconds before upkeep begins, so that a window can first load its list. */
const firstMs = 1000;

/** Rows until the first refresh of the list; doubled each time to keep refreshes few. */
const firstRefreshRows = 5;

/** The first result has the available rows; the rest is computed in the background, and `runs-changed` reports it. */
export function createRunList({ store, emit }: ListParts): {
  readonly list: Handlers['runs.list'];
  readonly close: () => Promise<void>;
} {
  const emitChanged = () => {
    emit({ type: 'runs-changed' });
  };
  const closing = new AbortController();
  let making: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    await sleep(firstMs, undefined, { signal: closing.signal });
    let made = 0;
    let nextRefreshRows = firstRefreshRows;
    await store.makeRows(closing.signal, () => {
      made += 1;
      if (made < nextRefreshRows) return;
      nextRefreshRows *= 2;
      emitChanged();
    });
    if (!closing.signal.aborted) emitChanged();
  };
  return {
    list: async () => {
      const list = await store.listAtHand();
      if (list.missing > 0 || list.outdated.length > 0) {
        // Failed rows are retried with the next list.
        making ??= make()
          .catch(() => undefined)
          .finally(() => {
            making = null;
          });
      }
      return list;
    },
    close: async () => {
      closing.abort();
      await making;
    },
  };
}

/** How long a removed run stays in the trash. */
const trashMs = 24 * 3600 * 1000;

export interface CleanRequest {
  readonly cache: boolean;
  readonly trash: boolean;
  readonly runIds: readonly string[];
}

/** null: not requested. */
export interface CleanPlan {
  /** Runs share cached files by hard links, whose bytes are freed only with the last link. */
  readonly cache: { readonly bytes: number; readonly sharedBytes: number } | null;
  readonly trash: { readonly runIds: readonly string[]; readonly bytes: number } | null;
  readonly runs: readonly { readonly runId: string; readonly bytes: number }[];
  readonly bytes: number;
}

export interface Cleaned {
  readonly endedServers: readonly number[];
  /** Process ids ended now and at this start. */
  readonly endedChildren: readonly number[];
  readonly removedContainers: readonly string[];
  /** Names under /dev/shm removed now and at this start. */
  readonly sharedMemoryFiles: readonly string[];
  readonly freedBytes: number;
  readonly removedRuns: readonly string[];
  /** Runs deleted from the trash. */
  readonly emptiedRuns: readonly string[];
}

export interface Upkeep {
  /** Dry run. Throws run-unknown. */
  planClean(request: CleanRequest): Promise<CleanPlan>;
  clean(request: CleanRequest): Promise<Cleaned>;
  /** Stops following, and waits for the tasks of the start. */
  close(): Promise<void>;
}

/** Empties old trash, applies the retention, and removes remains of a moved home. Never rejects. */
async function tidyHome(parts: CoreParts): Promise<void> {
  const { trash, settings, layout, options } = parts;
  // Failures must not prevent a start; `clean` reports them.
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
  // In the background, after the move is complete: only files that the new home has are removed from the old one.
  if (isMoved) void finished.then(tidy).catch(() => undefined);
  else await tidy();
}

/**
 * Cleans up after crashed processes. With `follow` (a window), this runs after the run list is loaded, because each run
 * sweeps before it starts anyway; then the home is tidied, and other processes' runs are followed.
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
    // Hosts may be slow, so nothing waits for them.
    if (follow) void engines.sweepHosts().catch(() => undefined);
  };
  const begun = begin();
  if (follow) begun.catch(() => undefined);
  else await begun;
  const pipelinesOf = async ({ cache: isCache }: Pick<CleanRequest, 'cache'>) =>
    isCache ? unusedPipelines(parts.layout) : [];
  /** Files and folders that a clean-up deletes. */
  const doomed = async (request: CleanRequest, pipelines: readonly string[]): Promise<string[]> => [
    ...(request.cache ? [cache.root, ...pipelines] : []),
    ...(request.trash ? (await trash.contents()).paths : []),
    ...(await Promise.all(request.runIds.map(async (runId) => (await store.folderOf(runId)).dir))),
  ];
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
        runs.push({ runId, bytes: await freedBytes([(await store.folderOf(runId)).dir]) });
      }
      const pipelines = await pipelinesOf(request);
      const ofCache = request.cache ? await freedBytes([cache.root, ...pipelines]) : 0;
      const kept = request.cache ? await freedBytes([cache.root]) : 0;
      const { runIds, paths } = request.trash ? await trash.contents() : { runIds: [], paths: [] };
      return {
        cache: request.cache ? { bytes: ofCache, sharedBytes: (await cache.bytes()) - kept } : null,
        trash: request.trash ? { runIds, bytes: await freedBytes(paths) } : null,
        runs,
        bytes: await freedBytes(await doomed(request, pipelines)),
      };
    },
    clean: async ({ runIds, ...request }) => {
      // Retries what failed at the start.
      await begun.catch(() => undefined);
      const { ended, removedContainers, ...swept } = await engines.sweep({ all: true, everywhere: true });
      endedChildren.push(...swept.endedChildren);
      sharedMemoryFiles.push(...(await sweepSharedFiles()));
      const freed = await freedBytes(await doomed({ ...request, runIds }, await pipelinesOf(request)));
      for (const runId of runIds) await store.remove(runId);
      if (runIds.length > 0) emit({ type: 'runs-changed' });
      const emptiedRuns = request.trash ? await trash.empty(0) : [];
      if (request.cache) {
        await cache.clear();
        // Named anew, as a run may have begun meanwhile.
        for (const path of await unusedPipelines(parts.layout))
          await rm(path, { recursive: true, force: true });
      }
      return {
        endedServers: ended,
        endedChildren: endedChildren.splice(0),
        removedContainers,
        sharedMemoryFiles: sharedMemoryFiles.splice(0),
        freedBytes: freed,
        removedRuns: runIds,
        emptiedRuns,
      };
    },
  };
}
