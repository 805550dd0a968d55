import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { StepId } from '../../../main/contract/run/run-events';
import type { Client } from '../../client';
import type { LogLevel } from '../../format/log-level';
import { createLineRing, type LineList } from './line-ring';
import { createLogFilter, everyLine, type LogWish } from './log-filter';

/** Lines kept of one step; the file in the run folder has them all. */
const maxLogLines = 200_000;
const fetchedLines = 20_000;

export interface StepLog {
  readonly runId: string | null;
  readonly step: StepId | null;
  /** Matching lines; changes in place, and `version` with it. */
  readonly lines: LineList;
  readonly version: number;
  readonly counts: Readonly<Record<LogLevel, number>>;
  readonly wish: LogWish;
  readonly error: WireError | null;
  readonly open: (runId: string, step: StepId) => Promise<void>;
  readonly setWish: (wish: LogWish) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

/** How many lines at the end of `fetched` are the first of `live`: they were both written and sent. */
export function overlap(fetched: readonly string[], live: readonly string[]): number {
  for (let count = Math.min(fetched.length, live.length); count > 0; count -= 1) {
    const start = fetched.length - count;
    let index = 0;
    while (index < count && fetched[start + index] === live[index]) index += 1;
    if (index === count) return count;
  }
  return 0;
}

export function createStepLog(client: Client, capacity: number = maxLogLines): StoreApi<StepLog> {
  const ring = createLineRing(capacity);
  const filter = createLogFilter(ring, capacity);
  return createStore<StepLog>()((set, get) => {
    let early: string[] | null = null;
    const changed = (): void => set({ version: get().version + 1, counts: filter.counts, wish: filter.wish });
    const add = (lines: readonly string[]): void => {
      for (const line of lines) ring.push(line);
      filter.follow();
      changed();
    };
    return {
      runId: null,
      step: null,
      lines: filter.lines,
      version: 0,
      counts: filter.counts,
      wish: everyLine,
      error: null,
      async open(runId, step) {
        const waiting: string[] = [];
        early = waiting;
        ring.clear();
        filter.clear();
        set({ runId, step, error: null });
        changed();
        const { fetched, error } = await client.call('runs.log', { runId, step, limit: fetchedLines }).then(
          (lines) => ({ fetched: lines, error: null }),
          (failure: unknown) => ({ fetched: [], error: toWire(failure) }),
        );
        if (early !== waiting) return;
        early = null;
        set({ error });
        add(fetched);
        add(waiting.slice(overlap(fetched, waiting)));
      },
      setWish(wish) {
        filter.setWish(wish);
        changed();
      },
      onEvent(event) {
        const { runId, step } = get();
        if (event.type !== 'log' || event.runId !== runId || event.step !== step) return;
        if (early === null) add(event.lines);
        else for (const line of event.lines) early.push(line);
      },
    };
  });
}
