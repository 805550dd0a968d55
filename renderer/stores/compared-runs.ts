import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { WireError } from '../../main/contract/errors';
import { toWire } from '../../main/contract/errors';
import { reduceRun } from '../../main/contract/run-state';
import type { RunState } from '../../main/contract/run-state';
import type { Client } from '../client';

/** Runs that can be compared at once: as many as there are colours to tell apart. */
export const mostCompared = 6;

export interface ComparedRuns {
  /** In the order in which they are compared; the first is what the others are measured against. */
  readonly runIds: readonly string[];
  readonly states: Readonly<Record<string, RunState>>;
  readonly errors: Readonly<Record<string, WireError>>;
  readonly open: (runIds: readonly string[]) => Promise<void>;
  readonly hear: (event: WindowEvent) => void;
}

/** The runs of the Compare page; those under way go on filling. */
export function createComparedRuns(client: Client): StoreApi<ComparedRuns> {
  return createStore<ComparedRuns>()((set, get) => {
    const fetchOne = async (runId: string): Promise<void> => {
      try {
        const state = await client.call('runs.get', { runId });
        set({ states: { ...get().states, [runId]: state } });
      } catch (error) {
        set({ errors: { ...get().errors, [runId]: toWire(error) } });
      }
    };
    return {
      runIds: [],
      states: {},
      errors: {},
      async open(runIds) {
        const wanted = [...new Set(runIds)].slice(0, mostCompared);
        set({ runIds: wanted, errors: {} });
        await Promise.all(wanted.map(fetchOne));
      },
      hear(event) {
        if (event.type !== 'journal') return;
        const { runIds, states } = get();
        const state = states[event.runId];
        if (state === undefined || !runIds.includes(event.runId)) return;
        if (event.entry.seq > state.seq + 1) {
          void fetchOne(event.runId);
          return;
        }
        const next = reduceRun(state, event.entry);
        if (next !== null && next !== state) set({ states: { ...states, [event.runId]: next } });
      },
    };
  });
}
