import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import { z } from 'zod';

const budgetsSchema = z.record(z.string(), z.number().positive());

export interface LatencyBudgets {
  /** Milliseconds of p99 that must be kept, by run. */
  readonly budgetsMs: Readonly<Record<string, number>>;
  /** null takes the budget of the run away. */
  readonly set: (runId: string, budgetMs: number | null) => void;
}

const key = 'workbench.latency-budgets';
/** Runs whose budget is kept; the storage is small. */
const most = 500;

function stored(storage: Storage): Record<string, number> {
  try {
    return budgetsSchema.parse(JSON.parse(storage.getItem(key) ?? ''));
  } catch {
    return {};
  }
}

/** The latency budget of each run, as the reader has set it; survives the window. */
export function createLatencyBudgets(storage: Storage): StoreApi<LatencyBudgets> {
  return createStore<LatencyBudgets>()((set, get) => ({
    budgetsMs: stored(storage),
    set(runId, budgetMs) {
      const others = Object.entries(get().budgetsMs).filter(([id]) => id !== runId);
      const entries = budgetMs === null ? others : [...others, [runId, budgetMs] as const];
      const budgetsMs = Object.fromEntries(entries.slice(-most));
      storage.setItem(key, JSON.stringify(budgetsMs));
      set({ budgetsMs });
    },
  }));
}
