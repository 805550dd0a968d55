import { stat } from 'node:fs/promises';
import type { CoreEvent } from '../contract/api';
import { readJournal } from './journal';
import { runFolder } from './run-folder';
import type { RunStore } from './run-store';

const intervalMs = 700;

/**
 * Tells of runs that other processes work on (a demo in a terminal, a CLI), by the growth of their journals.
 * @param isOwn runs whose events are told at their source already.
 * @returns the disposer.
 */
export function followRuns(
  store: RunStore,
  isOwn: (runId: string) => boolean,
  tell: (event: CoreEvent) => void,
): () => void {
  const sizes = new Map<string, number>();
  const state = { stopped: false, first: true };
  const look = async (): Promise<void> => {
    const found = await store.runDirs();
    for (const [runId, dir] of found) {
      const journal = runFolder(dir).journal;
      const size = (await stat(journal).catch(() => null))?.size ?? 0;
      if (sizes.get(runId) === size) continue;
      const known = sizes.has(runId);
      sizes.set(runId, size);
      if (state.first || isOwn(runId)) continue;
      // Entries that the window has seen are ignored there by their seq.
      if (known) {
        for (const entry of (await readJournal(journal)).entries) tell({ type: 'journal', runId, entry });
      }
      tell({ type: 'runs-changed' });
    }
    for (const runId of [...sizes.keys()]) {
      if (found.has(runId)) continue;
      sizes.delete(runId);
      tell({ type: 'runs-changed' });
    }
    state.first = false;
  };
  const again = (): void => {
    if (state.stopped) return;
    timer = setTimeout(() => {
      look()
        .catch(() => undefined)
        .finally(again);
    }, intervalMs);
  };
  let timer: NodeJS.Timeout | undefined;
  again();
  return () => {
    state.stopped = true;
    clearTimeout(timer);
  };
}
