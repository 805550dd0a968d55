import { toWire, WorkbenchError } from '../../../contract/errors';
import type { LoadPoint } from '../../../contract/measured/results';
import { linkedAbort } from '../../../platform/abort';
import type { LevelInTurns, MeasureInput } from '../../load-tool';
import { LevelGroup, type LevelTurns } from './load-session';
import { measureLevel } from './measure-level';

/**
 * Measures levels of several models at the same time, each in a thread of its own with windows, counters and a result of its
 * own; each result says what ran beside it. A level that fails ends all of them: the others would have been measured alone.
 * Throws as the load tool's `measure` does.
 */
export async function measureTogether(
  workerFile: string,
  inputs: readonly MeasureInput[],
): Promise<LoadPoint[]> {
  const { controller, dispose } = linkedAbort(...inputs.map((input) => input.signal));
  const group = new LevelGroup(inputs.length);
  const failed: { first: { readonly modelName: string; readonly error: unknown } | null } = { first: null };
  try {
    const measured = await Promise.allSettled(
      inputs.map(async (input) => {
        try {
          return await measureLevel(workerFile, { ...input, signal: controller.signal }, { group });
        } catch (error) {
          failed.first ??= { modelName: input.modelName, error };
          controller.abort();
          throw error;
        }
      }),
    );
    if (failed.first !== null) throw namedError(failed.first.modelName, failed.first.error);
    return measured.flatMap((result, index) => {
      const input = inputs[index];
      if (result.status === 'rejected' || input === undefined) return [];
      const together = inputs
        .filter((other) => other !== input)
        .map((other) => ({ model: other.modelName, ...other.level }));
      return [{ ...result.value.point, model: input.modelName, together }];
    });
  } finally {
    dispose();
  }
}

/** The error with the model that it is of. */
function namedError(modelName: string, error: unknown): WorkbenchError {
  const { code, message, where, remedy, details } = toWire(error);
  const named = message.includes(modelName) ? message : `${modelName}: ${message}`;
  return new WorkbenchError(code, named, { where, remedy, details, cause: error });
}

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
