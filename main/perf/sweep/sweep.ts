import type { MeasuringTurn } from '../../contract/measuring-order';
import { measuringOrder } from '../../contract/measuring-order';
import type { LoadPoint } from '../../contract/results';
import type { LoadTool } from '../../contract/run-spec';
import type { LoadLevel } from '../../contract/scenario-levels';
import { budgetLatencyUs } from '../../contract/sweep';
import type { TriedLevel } from './search-levels';
import { lastWithin, nextLevel } from './search-levels';

/** A search for the last level whose p99 is within a budget. */
export interface Search {
  readonly kind: 'linear' | 'binary';
  readonly thresholdUs: number;
}

/** Which levels are measured, and in which order. */
export interface SweepPlan {
  readonly levels: readonly LoadLevel[];
  /** Rounds over all levels: A B A B. A search measures once. */
  readonly repeats: number;
  /** One, or both of a cross-check. */
  readonly tools: readonly [LoadTool, ...LoadTool[]];
  /** null: all levels are measured. */
  readonly search: Search | null;
}

/** Where a sweep takes place: in a run, which keeps every point in its journal, or on any server. */
export interface SweepHost {
  /** @param fraction of the sweep that is done, 0 to 1. @returns null where the level gave no result. */
  readonly measure: (turn: MeasuringTurn, fraction: number) => Promise<LoadPoint | null>;
  /** Asked before each turn, and in a search after a turn without a result; true ends the sweep. */
  readonly shouldStop: (turn: MeasuringTurn) => boolean;
}

export interface SweepEnd {
  readonly stopped: boolean;
  /** Turns that were measured or gave no result. */
  readonly tried: number;
  /** Of a search: the last level within the budget for each batch size. null: nothing was searched. */
  readonly found: readonly LoadLevel[] | null;
}

async function measureAll(plan: SweepPlan, host: SweepHost): Promise<SweepEnd> {
  const turns = measuringOrder(plan.levels, plan.repeats, plan.tools);
  for (const [index, turn] of turns.entries()) {
    if (host.shouldStop(turn)) return { stopped: true, tried: index, found: null };
    await host.measure(turn, index / turns.length);
  }
  return { stopped: false, tried: turns.length, found: null };
}

/** The levels that a search tries, for each batch size by itself. */
async function searchAll(plan: SweepPlan, search: Search, host: SweepHost): Promise<SweepEnd> {
  const found: LoadLevel[] = [];
  const [loadTool] = plan.tools;
  let count = 0;
  for (const batchSize of new Set(plan.levels.map((level) => level.batchSize))) {
    const levels = plan.levels
      .filter((level) => level.batchSize === batchSize)
      .sort((a, b) => (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency));
    const tried: TriedLevel[] = [];
    for (let index = nextLevel(search.kind, levels.length, tried); index !== null;) {
      const level = levels[index];
      if (level === undefined) break;
      const turn = { level, repeat: 1, loadTool };
      if (host.shouldStop(turn)) return { stopped: true, tried: count, found };
      const point = await host.measure(turn, count / plan.levels.length);
      if (point === null && host.shouldStop(turn)) return { stopped: true, tried: count, found };
      count += 1;
      tried.push({ index, within: point !== null && budgetLatencyUs(point) <= search.thresholdUs });
      index = nextLevel(search.kind, levels.length, tried);
    }
    const best = levels[lastWithin(tried) ?? -1];
    if (best !== undefined) found.push(best);
  }
  return { stopped: false, tried: count, found };
}

/** Measures all levels, round after round, or those that the search tries. A level without a result ends nothing. */
export function measureSweep(plan: SweepPlan, host: SweepHost): Promise<SweepEnd> {
  return plan.search === null ? measureAll(plan, host) : searchAll(plan, plan.search, host);
}
