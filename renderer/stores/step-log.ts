import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { WireError } from '../../main/contract/errors';
import { toWire } from '../../main/contract/errors';
import type { StepId } from '../../main/contract/run-events';
import type { Client } from '../client';

/** Lines kept of one step; the file in the run folder has them all. */
export const maxLogLines = 200_000;
const fetchedLines = 20_000;

export interface StepLog {
  readonly runId: string | null;
  readonly step: StepId | null;
  /** Grows in place, so that a line more does not copy 200,000; `version` tells that it has. */
  readonly lines: string[];
  readonly version: number;
  readonly error: WireError | null;
  readonly open: (runId: string, step: StepId) => Promise<void>;
  readonly hear: (event: WindowEvent) => void;
}

/** How many lines at the end of `fetched` are the first ones of `live`: they were told and written both. */
export function overlap(fetched: readonly string[], live: readonly string[]): number {
  for (let count = Math.min(fetched.length, live.length); count > 0; count -= 1) {
    const start = fetched.length - count;
    let index = 0;
    while (index < count && fetched[start + index] === live[index]) index += 1;
    if (index === count) return count;
  }
  return 0;
}

/** The log of the step that is shown: what stands on disk, then what is told. */
export function createStepLog(client: Client): StoreApi<StepLog> {
  return createStore<StepLog>()((set, get) => {
    let early: string[] | null = null;
    const add = (lines: readonly string[]): void => {
      const kept = get().lines;
      for (const line of lines) kept.push(line);
      if (kept.length > maxLogLines) kept.splice(0, kept.length - maxLogLines);
      set({ version: get().version + 1 });
    };
    return {
      runId: null,
      step: null,
      lines: [],
      version: 0,
      error: null,
      async open(runId, step) {
        const waiting: string[] = [];
        early = waiting;
        set({ runId, step, lines: [], error: null, version: get().version + 1 });
        try {
          const fetched = await client.call('runs.log', { runId, step, limit: fetchedLines });
          if (early !== waiting) return;
          early = null;
          add(fetched);
          add(waiting.slice(overlap(fetched, waiting)));
        } catch (error) {
          if (early !== waiting) return;
          early = null;
          set({ error: toWire(error) });
          add(waiting);
        }
      },
      hear(event) {
        const { runId, step } = get();
        if (event.type !== 'log' || event.runId !== runId || event.step !== step) return;
        if (early === null) add(event.lines);
        else early.push(...event.lines);
      },
    };
  });
}
