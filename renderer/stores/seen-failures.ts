import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunSummary } from '../../main/contract/api';
import { stored } from './stored';

export const failedStates = ['failed', 'gate-failed'] as const;

const isFailed = ({ status }: Pick<RunSummary, 'status'>): boolean =>
  failedStates.some((state) => state === status);

export interface SeenFailures {
  readonly runIds: ReadonlySet<string>;
  /**
   * Marks shown failures as seen. A run of `all` that has not failed, such as a resumed one, counts again when it
   * fails; one that is not in the list, which may be incomplete, stays seen.
   */
  readonly see: (shown: readonly RunSummary[], all: readonly RunSummary[]) => void;
}

const storageKey = 'workbench.seen-failures';
const most = 1000;
const idsSchema = z.array(z.string().max(200));

export const unseenFailures = (
  all: readonly RunSummary[],
  seen: ReadonlySet<string>,
): readonly RunSummary[] => all.filter((run) => isFailed(run) && !seen.has(run.runId));

export function createSeenFailures(storage: Storage): StoreApi<SeenFailures> {
  return createStore<SeenFailures>()((set, get) => ({
    runIds: new Set(stored(storage, storageKey, idsSchema)),
    see(shown, all) {
      const before = get().runIds;
      const now = new Set(shown.map((run) => run.runId));
      const listed = new Set(all.map((run) => run.runId));
      const next = all.filter((run) => isFailed(run) && (before.has(run.runId) || now.has(run.runId)));
      const unlisted = [...before].filter((runId) => !listed.has(runId));
      const runIds = new Set([...next.map((run) => run.runId), ...unlisted].slice(0, most));
      if (runIds.size === before.size && [...runIds].every((runId) => before.has(runId))) return;
      storage.setItem(storageKey, JSON.stringify([...runIds]));
      set({ runIds });
    },
  }));
}
