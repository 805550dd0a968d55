import type { LevelInTurns, MeasureInput } from '../../load-tool';
import type { LevelTurns } from './level-turns';
import { measureLevel } from './measure-level';

/** The model has run before, only connections and thread are new: a later turn warms up for this much of the first one's time. */
const laterWarmup = 0.5;

/** A level that is measured a window at a time, with other levels in between; throws as {@link LoadTool} says. */
export function levelInTurns(workerFile: string, input: MeasureInput): LevelInTurns {
  let turns: LevelTurns | null = null;
  return {
    next: async () => {
      const { warmupMs } = input.settings;
      const settings = {
        ...input.settings,
        maxTrials: (turns?.windows.length ?? 0) + 1,
        warmupMs: turns === null ? warmupMs : warmupMs * laterWarmup,
      };
      const measured = await measureLevel(workerFile, { ...input, settings }, { earlier: turns });
      turns = measured.turns;
      return { ...measured.point, turns: turns.windows.length };
    },
  };
}
