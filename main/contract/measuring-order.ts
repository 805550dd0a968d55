import type { LoadPoint } from './results';
import type { Scenario } from './run-events';
import type { LoadTool, PerformanceSpec } from './run-spec';
import { loadTools } from './run-spec';
import type { LoadLevel } from './scenario-levels';
import { loadKey, scenarioLevels } from './scenario-levels';

/** One measurement of a sweep. */
export interface MeasuringTurn {
  readonly level: LoadLevel;
  /** 1, 2, ... */
  readonly repeat: number;
  readonly loadTool: LoadTool;
}

/** The tools that measure: the chosen one, and in a cross-check the other beside it. */
export function toolsOf({
  loadTool,
  crossCheck,
}: Pick<PerformanceSpec, 'loadTool' | 'crossCheck'>): readonly [LoadTool, ...LoadTool[]] {
  return crossCheck ? [loadTool, ...loadTools.filter((other) => other !== loadTool)] : [loadTool];
}

/**
 * All levels, round after round: A B A B, so that a drift of the machine falls on all levels alike. Two tools take turns
 * at each level and change places every round, so that neither is always the one that measures first.
 */
export function measuringOrder(
  levels: readonly LoadLevel[],
  repeats: number,
  tools: readonly LoadTool[],
): readonly MeasuringTurn[] {
  return Array.from({ length: repeats }, (_unused, index) => index + 1).flatMap((repeat) => {
    const inOrder = repeat % 2 === 1 ? tools : [...tools].reverse();
    return levels.flatMap((level) => inOrder.map((loadTool) => ({ level, repeat, loadTool })));
  });
}

/** Every measurement that the specification asks for; of a search those that it may try. */
export function plannedTurns(performance: PerformanceSpec, scenario: Scenario): readonly MeasuringTurn[] {
  return measuringOrder(scenarioLevels(performance, scenario), performance.repeats, toolsOf(performance));
}

/** Two turns with the same key are the same measurement. */
export const turnKey = ({ level, repeat, loadTool }: MeasuringTurn): string =>
  `${loadKey(level)}/${repeat}/${loadTool}`;

/** The turn that a measured or missing level belongs to; `chosen`: the tool of a hole that does not say its own. */
export function turnOf(
  of: LoadLevel & Partial<Pick<LoadPoint, 'repeat' | 'loadTool'>>,
  chosen: LoadTool,
): MeasuringTurn {
  return { level: of, repeat: of.repeat ?? 1, loadTool: of.loadTool ?? chosen };
}
