import { toWire, type WireError } from '../../contract/errors';
import { isFaulty } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import type { LoadTool } from '../../contract/run/run-spec';
import {
  type LoadLevel,
  measuringOrder,
  type MeasuringTurn,
  searchLatencyUs,
} from '../../contract/run/sweep';
import { largestOf, smallestOf } from '../../domain/statistics';
import { stabilityWindows } from '../intervals';
import type { LevelInTurns } from '../load-tool';

/** A level that was tried: its place in the ascending list, and whether its p99 was within the budget. */
export interface TriedLevel {
  readonly index: number;
  /** False also for a level without a result, and for one with too many errors. */
  readonly within: boolean;
}

/**
 * Which level of an ascending list to measure next, or null when the last one within the budget is known. Linear: one after
 * the other until the first that is not within it. Binary: both ends, then always the middle between the last within
 * and the first beyond, so log2 of the list and two. Pure: a search that was cut off goes on from what was tried.
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

/** The place of the last tried level within the budget; null when none was. */
export function lastWithin(tried: readonly TriedLevel[]): number | null {
  const beyond = smallestOf(tried.filter(({ within }) => !within).map(({ index }) => index));
  const below = tried.filter(({ index, within }) => within && index < beyond).map(({ index }) => index);
  return below.length === 0 ? null : largestOf(below);
}

/** A search for the last level whose p99 is within a budget. */
interface Search {
  readonly kind: 'linear' | 'binary';
  readonly thresholdUs: number;
  readonly precision?: number | undefined;
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
interface SweepHost {
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

/** A search that was stopped has found nothing only so far. */
const cutShort = (found: readonly LoadLevel[]): SweepEnd['found'] => (found.length === 0 ? null : found);

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
    const next = () => nextLevel(search.kind, levels.length, tried, search.precision);
    for (let index = next(); index !== null;) {
      const level = levels[index];
      if (level === undefined) break;
      const turn = { level, repeat: 1, loadTool };
      if (host.shouldStop(turn)) return { stopped: true, tried: count, found: cutShort(found) };
      const point = await host.measure(turn, count / plan.levels.length);
      if (point === null && host.shouldStop(turn))
        return { stopped: true, tried: count, found: cutShort(found) };
      count += 1;
      // A full queue refuses at once: what is left of the requests is fast at any load.
      const isWithin = point !== null && !isFaulty(point) && searchLatencyUs(point) <= search.thresholdUs;
      tried.push({ index, within: isWithin });
      index = next();
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

/** A level that has begun, for one model. */
interface BegunLevel {
  readonly level: LoadLevel;
  readonly turns: LevelInTurns;
}

interface InTurnsListener {
  /** A window of the level. `last`: its point is complete. */
  readonly onRound: (
    level: LoadLevel,
    round: { readonly number: number; readonly last: boolean },
    point: LoadPoint,
  ) => Promise<void> | void;
  readonly onMissing: (level: LoadLevel, error: WireError) => Promise<void> | void;
}

/**
 * Measures a window of each level, then the next of each: a machine that changes its speed, as shared ones do, does so for all
 * levels alike, and a level's windows are of different times. What was measured before `shouldStop` is kept.
 */
export async function measureInTurns(
  levels: readonly BegunLevel[],
  shouldStop: () => boolean,
  { onRound, onMissing }: InTurnsListener,
): Promise<readonly LoadPoint[]> {
  const points = new Map<BegunLevel, LoadPoint>();
  let left = levels;
  for (let number = 1; number <= stabilityWindows && !shouldStop(); number += 1) {
    for (const one of left) {
      const point = await one.turns.next().catch(toWire);
      if (!('message' in point)) {
        points.set(one, point);
        await onRound(one.level, { number, last: number === stabilityWindows }, point);
        continue;
      }
      if (shouldStop()) break;
      points.delete(one);
      left = left.filter((other) => other !== one);
      await onMissing(one.level, point);
    }
  }
  return [...points.values()];
}
