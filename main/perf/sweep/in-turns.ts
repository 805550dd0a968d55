import type { WireError } from '../../contract/errors';
import { toWire } from '../../contract/errors';
import type { LoadPoint } from '../../contract/results';
import type { LoadLevel } from '../../contract/scenario-levels';
import type { LevelInTurns } from '../load-tool';
import { stabilityWindows } from '../stability';

/** A level that has begun, for one model. */
export interface BegunLevel {
  readonly level: LoadLevel;
  readonly turns: LevelInTurns;
}

export interface InTurnsListener {
  /** A window of the level. `last`: its point is complete. */
  readonly onRound: (
    level: LoadLevel,
    round: { readonly number: number; readonly last: boolean },
    point: LoadPoint,
  ) => void;
  readonly onMissing: (level: LoadLevel, error: WireError) => void;
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
      try {
        const point = await one.turns.next();
        points.set(one, point);
        onRound(one.level, { number, last: number === stabilityWindows }, point);
      } catch (caught) {
        if (shouldStop()) break;
        points.delete(one);
        left = left.filter((other) => other !== one);
        onMissing(one.level, toWire(caught));
      }
    }
  }
  return [...points.values()];
}
