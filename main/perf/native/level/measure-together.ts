import { toWire, WorkbenchError } from '../../../contract/errors';
import type { LoadPoint } from '../../../contract/measured/results';
import { linkedAbort } from '../../../platform/abort';
import type { LevelInTurns, MeasureInput } from '../../load-tool';
import { LevelGroup, type LevelTurns } from './load-session';
import { measureLevel } from './measure-level';

/**
 * Measures models concurrently, each in its own thread; results name their neighbors. One failure ends all, because the
 * others' load would change. Throws as the load tool's `measure`.
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

/** Prefixes the model's name. */
function namedError(modelName: string, error: unknown): WorkbenchError {
  const { code, message, where, remedy, details } = toWire(error);
  const named = message.includes(modelName) ? message : `${modelName}: ${message}`;
  return new WorkbenchError(code, named, { where, remedy, details, cause: error });
}

/** Later turns only reconnect, so they need a fraction of the first warm-up. */
const laterWarmup = 0.5;

/** See {@link LoadTool} for errors. */
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
