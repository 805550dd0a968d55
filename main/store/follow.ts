import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { CoreEvent } from '../contract/api';
import type { JournalEntry } from '../contract/run/run-events';
import type { Listeners } from '../platform/abort';
import { openPlain } from '../platform/plain-entry';
import { leaseHolder } from './file-lease';
import { journalBytes, parseJournal } from './journal';
import { runFolder } from './run-folder';
import type { RunStore } from './run-store';

const intervalMs = 700;

/** Tolerance for rounded file times at the first poll. */
const roundedMs = 1000;

/** Complete entries from byte `from` on. */
export async function entriesFrom(journal: string, from: number): Promise<readonly JournalEntry[]> {
  const file = await openPlain(journal, constants.O_RDONLY);
  try {
    const bytes = await journalBytes(file, journal);
    const start = from === 0 ? 0 : bytes.lastIndexOf(10, from - 1) + 1;
    return parseJournal(bytes.subarray(start)).entries;
  } finally {
    await file.close();
  }
}

/** New journal entries and vanished holders of others' runs. @param isOwn runs that emit. @returns the disposer */
export function followRuns(
  store: RunStore,
  isOwn: (runId: string) => boolean,
  events: Listeners<CoreEvent>,
): () => void {
  const emit = (event: CoreEvent) => {
    events.emit(event);
  };
  const sizes = new Map<string, number>();
  /** Runs with a known holder. */
  const held = new Set<string>();
  /** Last emitted entry per run. */
  const lastSeq = new Map<string, number>();
  const unsubscribe = events.add((event) => {
    if (event.type === 'journal') {
      lastSeq.set(event.runId, Math.max(event.entry.seq, lastSeq.get(event.runId) ?? 0));
    }
  });
  const state = { stopped: false, first: true, changed: false };
  /** Lists may be read from now on. */
  const sinceMs = Date.now() - roundedMs;
  const wasLeft = async (runId: string, dir: string, grown: boolean): Promise<boolean> => {
    if (!grown && !held.has(runId)) return false;
    if ((await leaseHolder(dir)) !== null) {
      held.add(runId);
      return false;
    }
    return held.delete(runId);
  };
  const readRun = async (runId: string, dir: string): Promise<void> => {
    const journal = runFolder(dir).journal;
    const { size, mtimeMs } = (await stat(journal).catch(() => null)) ?? { size: 0, mtimeMs: 0 };
    const before = sizes.get(runId);
    const grown = before !== size;
    const left = await wasLeft(runId, dir, grown);
    sizes.set(runId, size);
    // May have been written before the first poll.
    if (state.first) state.changed ||= mtimeMs >= sinceMs;
    if (state.first || isOwn(runId)) return;
    if (grown && before !== undefined) {
      const last = lastSeq.get(runId);
      for (const entry of await entriesFrom(journal, last === undefined ? before : 0)) {
        if (entry.seq > (last ?? 0)) emit({ type: 'journal', runId, entry });
      }
    }
    if (grown || left) emit({ type: 'runs-changed' });
  };
  const poll = async (): Promise<void> => {
    const found = await store.runDirs();
    for (const [runId, dir] of found) {
      // An unreadable folder must not hide others.
      await readRun(runId, dir).catch(() => undefined);
    }
    for (const runId of [...sizes.keys()]) {
      if (found.has(runId)) continue;
      sizes.delete(runId);
      held.delete(runId);
      lastSeq.delete(runId);
      emit({ type: 'runs-changed' });
    }
    if (state.first) {
      const folder = await stat(store.runsDir).catch(() => null);
      if (state.changed || (folder?.mtimeMs ?? 0) >= sinceMs) emit({ type: 'runs-changed' });
    }
    state.first = false;
  };
  const again = (): void => {
    if (state.stopped) return;
    timer = setTimeout(() => {
      poll()
        .catch(() => undefined)
        .finally(again);
    }, intervalMs);
  };
  let timer: NodeJS.Timeout | undefined;
  again();
  return () => {
    state.stopped = true;
    unsubscribe();
    clearTimeout(timer);
  };
}
