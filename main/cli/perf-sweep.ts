import { WorkbenchError } from '../contract/errors';
import type { LoadPoint } from '../contract/results';
import type { MeasuringTurn } from '../contract/measuring-order';
import { measuringOrder } from '../contract/measuring-order';
import type { LoadTool, searches } from '../contract/run-spec';
import type { LoadLevel } from '../contract/scenario-levels';
import { budgetLatencyUs } from '../contract/sweep';
import { lastWithin, nextLevel } from '../perf/search-levels';
import type { TriedLevel } from '../perf/search-levels';
import { readNumber } from './read-spec';

/** A search for the last level within a budget. */
interface Search {
  readonly kind: 'linear' | 'binary';
  readonly thresholdUs: number;
}

/** null: all levels are measured. Throws input-invalid. */
export function readSearch(options: {
  readonly search: (typeof searches)[number];
  readonly latencyThreshold?: string | undefined;
}): Search | null {
  const { search: kind, latencyThreshold: threshold } = options;
  if (kind === 'none' && threshold === undefined) return null;
  if (threshold === undefined) {
    throw new WorkbenchError('input-invalid', 'A search needs the latency to stay below', {
      where: '--latency-threshold',
      remedy: 'Give the largest p99 in milliseconds, for example --latency-threshold 20.',
    });
  }
  return {
    kind: kind === 'none' ? 'linear' : kind,
    thresholdUs: readNumber('--latency-threshold', threshold) * 1000,
  };
}

export interface PerfSweep {
  readonly levels: readonly LoadLevel[];
  readonly repeats: number;
  /** One, or both of a cross-check. */
  readonly tools: readonly [LoadTool, ...LoadTool[]];
  readonly search: Search | null;
  readonly aborted: () => boolean;
  /** null: nothing came of the level. */
  readonly one: (turn: MeasuringTurn) => Promise<LoadPoint | null>;
}

async function measureAll({ levels, repeats, tools, aborted, one }: PerfSweep): Promise<void> {
  for (const turn of measuringOrder(levels, repeats, tools)) {
    await one(turn);
    if (aborted()) return;
  }
}

/** The levels that a search tries, for each batch size by itself; the last level within the budget of each. */
async function searchAll(sweep: PerfSweep, search: Search): Promise<LoadLevel[]> {
  const found: LoadLevel[] = [];
  for (const batchSize of new Set(sweep.levels.map((level) => level.batchSize))) {
    const levels = sweep.levels
      .filter((level) => level.batchSize === batchSize)
      .sort((a, b) => (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency));
    const tried: TriedLevel[] = [];
    for (let index = nextLevel(search.kind, levels.length, tried); index !== null;) {
      const level = levels[index];
      const [loadTool] = sweep.tools;
      const point = level === undefined ? null : await sweep.one({ level, repeat: 1, loadTool });
      if (sweep.aborted()) return found;
      tried.push({ index, within: point !== null && budgetLatencyUs(point) <= search.thresholdUs });
      index = nextLevel(search.kind, levels.length, tried);
    }
    const best = levels[lastWithin(tried) ?? -1];
    if (best !== undefined) found.push(best);
  }
  return found;
}

/** Measures all levels, or those that the search tries. @returns what the search found; null without one. */
export async function runSweep(sweep: PerfSweep): Promise<readonly LoadLevel[] | null> {
  if (sweep.search !== null) return searchAll(sweep, sweep.search);
  await measureAll(sweep);
  return null;
}
