import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import { toWire, type WireError } from '../../main/contract/errors';
import type { JournalEntry } from '../../main/contract/run/run-events';
import { reduceRun, type RunState } from '../../main/contract/run/run-state';
import type { Client } from '../client';

/** Runs that can be compared at once: as many as there are colours to tell apart. */
export const mostCompared = 6;

export interface ComparedRuns {
  /** The first is the baseline. */
  readonly runIds: readonly string[];
  readonly states: Readonly<Record<string, RunState>>;
  readonly errors: Readonly<Record<string, WireError>>;
  /** Budget that was typed, and for which runs; null: none. */
  readonly typed: { readonly budgetMs: number | null; readonly runIds: readonly string[] } | null;
  /** @param runIds default: those on the page */
  readonly typeBudget: (budgetMs: number | null, runIds?: readonly string[]) => void;
  readonly open: (runIds: readonly string[]) => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createComparedRuns(client: Client): StoreApi<ComparedRuns> {
  return createStore<ComparedRuns>()((set, get) => {
    /** Entries that came while their run was fetched. */
    const early = new Map<string, JournalEntry[]>();
    const outdated = new Set<string>();
    const fetchOne = async (runId: string): Promise<void> => {
      // It is being fetched already.
      if (early.has(runId)) return;
      const entries: JournalEntry[] = [];
      early.set(runId, entries);
      outdated.delete(runId);
      try {
        const fetched = await client.call('runs.get', { runId });
        const state = entries.reduce<RunState | null>(reduceRun, fetched) ?? fetched;
        if (get().runIds.includes(runId)) set({ states: { ...get().states, [runId]: state } });
      } catch (error) {
        set({ errors: { ...get().errors, [runId]: toWire(error) } });
      } finally {
        early.delete(runId);
      }
      if (outdated.has(runId) && get().runIds.includes(runId)) await fetchOne(runId);
    };
    return {
      runIds: [],
      states: {},
      errors: {},
      typed: null,
      typeBudget: (budgetMs, runIds = get().runIds) => set({ typed: { budgetMs, runIds } }),
      async open(runIds) {
        const wanted = [...new Set(runIds)].slice(0, mostCompared);
        const { states } = get();
        // A run holds every window that was measured: only those on the page are kept.
        const kept = wanted.flatMap((id) => {
          const state = states[id];
          return state === undefined ? [] : [[id, state] as const];
        });
        set({ runIds: wanted, errors: {}, states: Object.fromEntries(kept) });
        await Promise.all(wanted.map(fetchOne));
      },
      onEvent(event) {
        const { runIds, states } = get();
        if (event.type === 'runs-changed') {
          // The end of a run of another process shows in its lease only.
          for (const id of runIds) {
            outdated.add(id);
            if (states[id]?.status === 'running') void fetchOne(id);
          }
          return;
        }
        if (event.type !== 'journal') return;
        early.get(event.runId)?.push(event.entry);
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
