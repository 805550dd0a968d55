import { join } from 'node:path';
import { toWire } from '../contract/errors';
import { levelText } from '../contract/level-text';
import type { LoadPoint } from '../contract/results';
import type { LevelInTurns } from '../perf/load-tool';
import { stabilityWindows } from '../perf/stability';
import { perSecond } from './output';
import { pointLine } from './perf-print';
import { measureInputs } from './perf-turn';
import type { PerfTurnInput } from './perf-turn';

/**
 * Measures a window of each level, then the next of each: a machine that changes its speed, as shared ones do, does so for all
 * levels alike, and a level's windows are of different times. What was measured before a cancel is kept.
 * The tool has to have `levelInTurns`.
 * @returns null, as no level is searched.
 */
export async function measureInTurns(input: PerfTurnInput): Promise<null> {
  const { plan, signal, output, results } = input;
  const cancelled = () => signal.aborted;
  const [tool] = plan.tools;
  const begun = plan.levels.flatMap((level, index) => {
    const workDir = join(input.dir, `level-${index + 1}`);
    const said = new Set<string>();
    const onLog = (lines: readonly string[]) => {
      // A level's input is the same in every turn, and so is what there is to say of it.
      for (const line of lines) if (!said.has(line)) output.say(line);
      for (const line of lines) said.add(line);
    };
    const inputs = measureInputs(input, level, { workDir, onLog, onCommand: () => undefined });
    return inputs.flatMap((one): { readonly level: typeof level; readonly turns: LevelInTurns }[] => {
      const turns = input.loadTools[tool].levelInTurns?.(one);
      return turns === undefined ? [] : [{ level, turns }];
    });
  });
  output.say(`${begun.length} levels in turns: ${stabilityWindows} rounds, a window of each level in each`);
  const points = new Map<(typeof begun)[number], LoadPoint>();
  let left = begun;
  for (let round = 1; round <= stabilityWindows && !cancelled(); round += 1) {
    for (const one of left) {
      try {
        const point = await one.turns.next();
        points.set(one, point);
        output.say(
          round === stabilityWindows
            ? pointLine(point)
            : `${levelText(one.level)}, round ${round}: ${perSecond(point.inferencesPerSecond)} inferences/s`,
        );
      } catch (caught) {
        if (cancelled()) break;
        const error = toWire(caught);
        points.delete(one);
        left = left.filter((other) => other !== one);
        results.missing.push({ level: one.level, error });
        output.say(`${levelText(one.level)}: no result: ${error.message}`);
      }
    }
  }
  results.points.push(...points.values());
  return null;
}
