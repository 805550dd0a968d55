import { isFaulty, isOverSaturated } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import type { LoadTool } from '../../contract/run/run-spec';
import { type LoadLevel, searchLatencyUs } from '../../contract/run/sweep';
import { edgeOfRamp, nextRampStep, rateOfStep, type TriedRate } from '../../domain/run/hold-edge';
import type { LevelsEnd, LevelsHost } from './measure-levels';

export interface EdgePlan {
  /** Where the ramp begins; it has a rate. */
  readonly first: LoadLevel;
  readonly loadTool: LoadTool;
  readonly thresholdUs: number;
  /** Requests a second at most. */
  readonly mostRate: number;
}

export interface EdgeHost extends Pick<LevelsHost, 'known' | 'measure' | 'shouldStop'> {
  /** Measures a moment of a rate, which is not kept. @returns null without a result */
  readonly probe: (level: LoadLevel) => Promise<LoadPoint | null>;
}

/** A rate that is not kept for long is left for a lower one, so often at most. */
const mostHolds = 5;
/** Of requests that were due. */
const keptShare = 0.97;

const isHeld = (point: LoadPoint | null, level: LoadLevel, { thresholdUs }: EdgePlan): boolean =>
  point !== null &&
  !isFaulty(point) &&
  !isOverSaturated(point) &&
  searchLatencyUs(point) <= thresholdUs &&
  point.inferencesPerSecond >= keptShare * (level.requestRate ?? 0) * level.batchSize;

/** Raises the rate until the target fails, and measures just below. @returns as a search */
export async function holdEdge(plan: EdgePlan, host: EdgeHost): Promise<LevelsEnd> {
  const { first, loadTool, mostRate } = plan;
  const start = first.requestRate ?? 1;
  const levelAt = (step: number): LoadLevel => ({ ...first, requestRate: rateOfStep(start, step) });
  const stopped: LevelsEnd = { stopped: true, tried: 0, found: null };
  const ramp: TriedRate[] = [];
  const next = () => nextRampStep(start, mostRate, ramp);
  for (let step = next(); step !== null; step = next()) {
    if (host.shouldStop()) return stopped;
    const level = levelAt(step);
    const point = await host.probe(level);
    if (point === null && host.shouldStop()) return stopped;
    ramp.push({ step, held: isHeld(point, level, plan) });
  }
  const edge = edgeOfRamp(ramp);
  if (edge === null) return { stopped: false, tried: 0, found: [] };
  for (let hold = 1; hold <= mostHolds; hold += 1) {
    if (host.shouldStop()) return stopped;
    // What was kept for a moment is too much for longer.
    const level = levelAt(edge - hold);
    const turn = { level, repeat: 1, loadTool };
    const point = (await host.known(turn)) ?? (await host.measure(turn, 0));
    if (point === null && host.shouldStop()) return { ...stopped, tried: hold };
    if (isHeld(point, level, plan)) return { stopped: false, tried: hold, found: [level] };
  }
  return { stopped: false, tried: mostHolds, found: [] };
}
