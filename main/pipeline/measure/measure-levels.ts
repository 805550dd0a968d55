import { isFaulty, isOverSaturated } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import type { LoadTool } from '../../contract/run/run-spec';
import {
  type LoadLevel,
  measuringOrder,
  type MeasuringTurn,
  searchLatencyUs,
} from '../../contract/run/sweep';
import { largestOf, smallestOf } from '../../domain/statistics';
import { stabilityWindows } from '../../perf/intervals';
import type { LevelInTurns, MeasureInput } from '../../perf/load-tool';
import { openReadings, type ReadingSources, windowSpan } from '../../perf/readings';

/** A measured level of a search: its index, and whether its p99 met the budget. */
export interface TriedLevel {
  readonly index: number;
  /** False also without a result, and with too many errors. */
  readonly within: boolean;
}

/**
 * The next level of an ascending list, or null when the search is done. Linear: up to the first level over budget.
 * Binary: both ends, then midpoints, log2 of the list plus two. An interrupted search continues from `tried`.
 */
export function nextLevel(
  search: 'linear' | 'binary',
  count: number,
  tried: readonly TriedLevel[],
  precision = 1,
): number | null {
  const beyond = Math.min(count, smallestOf(tried.filter(({ within }) => !within).map(({ index }) => index)));
  const below = tried.filter(({ index, within }) => within && index < beyond).map(({ index }) => index);
  const within = Math.max(-1, largestOf(below));
  if (search === 'linear') return within + 1 < beyond ? within + 1 : null;
  const isTried = (index: number) => tried.some((level) => level.index === index);
  if (beyond === 0) return null;
  if (within < 0 && !isTried(0)) return 0;
  if (beyond === count && !isTried(count - 1)) return within === count - 1 ? null : count - 1;
  if (beyond - within <= precision) return null;
  return Math.floor((within + beyond) / 2);
}

/** Index of the last level within budget, or null. */
export function lastWithin(tried: readonly TriedLevel[]): number | null {
  const beyond = smallestOf(tried.filter(({ within }) => !within).map(({ index }) => index));
  const below = tried.filter(({ index, within }) => within && index < beyond).map(({ index }) => index);
  return below.length === 0 ? null : largestOf(below);
}

/** A search for the last level within a p99 budget. */
interface Search {
  readonly kind: 'linear' | 'binary';
  readonly thresholdUs: number;
  readonly precision?: number | undefined;
}

export interface LevelsPlan {
  readonly levels: readonly LoadLevel[];
  /** Rounds over all levels (A B A B). Searches measure once. */
  readonly repeats: number;
  /** Two for a cross-check. */
  readonly tools: readonly [LoadTool, ...LoadTool[]];
  /** null: measure all levels. */
  readonly search: Search | null;
  /** One window per level and round, if supported; not for repeats and searches. */
  readonly inTurns: boolean;
}

export interface TurnsHost {
  readonly sources: ReadingSources;
  readonly onBegin: (levels: number) => void;
  /** Prepares a level without load. @param place among the due ones, from 1 */
  readonly begin: (turn: MeasuringTurn, place: number, onWindow: MeasureInput['onWindow']) => LevelInTurns;
  /** A window that is not the level's last. */
  readonly onRound: (turn: MeasuringTurn, round: number, point: LoadPoint) => void;
  readonly onPoint: (turn: MeasuringTurn, point: LoadPoint) => Promise<void>;
  /** A level without a result. Throws to end all. */
  readonly onMissing: (turn: MeasuringTurn, error: unknown) => Promise<void>;
}

/** Where levels are measured: in a journaled run, or on any server. */
export interface LevelsHost {
  /** The point of an already measured turn; null: due. */
  readonly known: (turn: MeasuringTurn) => Promise<LoadPoint | null>;
  /** Measured turns to repeat. */
  readonly again: readonly MeasuringTurn[];
  /** @param fraction of turns done, 0 to 1. @returns null without a result */
  readonly measure: (turn: MeasuringTurn, fraction: number) => Promise<LoadPoint | null>;
  /** Polled before each turn or round, and after failures. */
  readonly shouldStop: () => boolean;
  /** null: whole levels only. */
  readonly turns: TurnsHost | null;
}

export interface LevelsEnd {
  readonly stopped: boolean;
  /** Turns measured or failed. */
  readonly tried: number;
  /** Search result per batch size; null without a search. */
  readonly found: readonly LoadLevel[] | null;
}

async function measureWhole(plan: LevelsPlan, host: LevelsHost): Promise<LevelsEnd> {
  const turns = measuringOrder(plan.levels, plan.repeats, plan.tools);
  for (const [index, turn] of turns.entries()) {
    if ((await host.known(turn)) !== null) continue;
    if (host.shouldStop()) return { stopped: true, tried: index, found: null };
    await host.measure(turn, index / turns.length);
  }
  return { stopped: false, tried: turns.length, found: null };
}

/** A stopped search has only preliminary results. */
const cutShort = (found: readonly LoadLevel[]): LevelsEnd['found'] => (found.length === 0 ? null : found);

/** A full queue rejects at once, so remaining latencies are low at any load. */
const isWithinThreshold = (point: LoadPoint, thresholdUs: number): boolean =>
  !isFaulty(point) && !isOverSaturated(point) && searchLatencyUs(point) <= thresholdUs;

/** Searches each batch size separately. */
async function searchAll(plan: LevelsPlan, search: Search, host: LevelsHost): Promise<LevelsEnd> {
  const found: LoadLevel[] = [];
  const [loadTool] = plan.tools;
  let count = 0;
  const stopped = (): LevelsEnd => ({ stopped: true, tried: count, found: cutShort(found) });
  // The search may skip them.
  for (const turn of host.again) {
    if (host.shouldStop()) return stopped();
    await host.measure(turn, 0);
  }
  for (const batchSize of new Set(plan.levels.map((level) => level.batchSize))) {
    const levels = plan.levels
      .filter((level) => level.batchSize === batchSize)
      .sort((a, b) => (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency));
    const tried: TriedLevel[] = [];
    const next = () => nextLevel(search.kind, levels.length, tried, search.precision);
    for (let index = next(); index !== null;) {
      const level = levels[index];
      if (level === undefined) break;
      const turn = { level, repeat: 1, loadTool };
      const before = await host.known(turn);
      if (before === null && host.shouldStop()) return stopped();
      const point = before ?? (await host.measure(turn, count / plan.levels.length));
      if (point === null && host.shouldStop()) return stopped();
      count += 1;
      const isWithin = point !== null && isWithinThreshold(point, search.thresholdUs);
      tried.push({ index, within: isWithin });
      index = next();
    }
    const best = levels[lastWithin(tried) ?? -1];
    if (best !== undefined) found.push(best);
  }
  return { stopped: false, tried: count, found };
}

/** A level with server readings during its windows. */
function begun(
  turn: MeasuringTurn,
  place: number,
  { begin }: TurnsHost,
  readings: ReturnType<typeof openReadings>,
) {
  const spans: (readonly [fromMs: number, toMs: number])[] = [];
  const level = begin(turn, place, ({ durationUs }) => {
    if (durationUs !== null) spans.push(windowSpan(durationUs));
  });
  const counts = (atMs: number) => spans.some(([fromMs, toMs]) => atMs >= fromMs && atMs <= toMs);
  return { turn, next: async () => readings.added(await level.next(), counts) };
}

/** One window per level and round: speed changes affect all levels alike. @returns whether all were measured */
async function measureRounds(
  due: readonly MeasuringTurn[],
  host: TurnsHost,
  shouldStop: () => boolean,
): Promise<boolean> {
  const readings = openReadings(host.sources);
  try {
    let left = due.map((turn, index) => begun(turn, index + 1, host, readings));
    for (let round = 1; round <= stabilityWindows; round += 1) {
      if (shouldStop()) return false;
      for (const one of left) {
        const { turn } = one;
        const result = await one.next().then(
          (point) => ({ point }),
          (error: unknown) => ({ error }),
        );
        if ('point' in result) {
          if (round === stabilityWindows) await host.onPoint(turn, result.point);
          else host.onRound(turn, round, result.point);
          continue;
        }
        if (shouldStop()) return false;
        left = left.filter((other) => other !== one);
        await host.onMissing(turn, result.error);
      }
    }
    return true;
  } finally {
    await readings.end();
  }
}

/** All levels that are due, in turns. */
async function measureInTurns(plan: LevelsPlan, host: LevelsHost, turns: TurnsHost): Promise<LevelsEnd> {
  const [loadTool] = plan.tools;
  const due: MeasuringTurn[] = [];
  for (const level of plan.levels) {
    const turn = { level, repeat: 1, loadTool };
    if ((await host.known(turn)) === null) due.push(turn);
  }
  const { length } = plan.levels;
  if (due.length === 0) return { stopped: false, tried: length, found: null };
  turns.onBegin(due.length);
  const isWhole = await measureRounds(due, turns, host.shouldStop);
  return { stopped: !isWhole, tried: isWhole ? length : length - due.length, found: null };
}

/** In rounds, in turns, or by search. A failed level does not end the others. Throws errors of the host. */
export function measureLevels(plan: LevelsPlan, host: LevelsHost): Promise<LevelsEnd> {
  if (plan.search !== null) return searchAll(plan, plan.search, host);
  return plan.inTurns && host.turns !== null
    ? measureInTurns(plan, host, host.turns)
    : measureWhole(plan, host);
}
