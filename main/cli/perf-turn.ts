import { join } from 'node:path';
import { toWire } from '../contract/errors';
import { levelText } from '../contract/level-text';
import type { MeasuringTurn } from '../contract/measuring-order';
import type { LoadPoint } from '../contract/results';
import { budgetLatencyUs } from '../contract/sweep';
import type { LoadLevel } from '../contract/scenario-levels';
import type { Core } from '../core';
import type { MeasureInput } from '../perf/load-tool';
import type { Output } from './output';
import { measureModels, weightedLevel } from './perf-models';
import type { PerfModel } from './perf-models';
import type { PerfPlan } from './perf-plan';
import { pointLine } from './perf-print';
import type { PerfResults } from './perf-results';

export interface PerfTurnInput {
  readonly plan: PerfPlan;
  readonly loadTools: Core['loadTools'];
  readonly models: readonly PerfModel[];
  readonly modelVersion: string;
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly output: Output;
  /** Takes what comes of every turn. */
  readonly results: PerfResults;
}

/** What the load tool is asked for, of each model. */
export function measureInputs(
  input: PerfTurnInput,
  level: LoadLevel,
  how: Pick<MeasureInput, 'workDir' | 'onLog' | 'onCommand'>,
): MeasureInput[] {
  const { addresses, protocol, settings } = input.plan;
  return input.models.map((model) => ({
    httpAddress: addresses.http,
    grpcAddress: addresses.grpc,
    httpTls: addresses.httpTls,
    grpcTls: addresses.grpcTls,
    protocol,
    modelName: model.name,
    modelVersion: input.modelVersion,
    inputData: model.inputData,
    inputDataDir: model.inputDataDir,
    level: weightedLevel(level, model.weight),
    batched: model.batched,
    settings,
    signal: input.signal,
    onWindow: () => undefined,
    ...how,
  }));
}

/**
 * Measures one turn, all models at once, and says what came of it.
 * @returns of several models the slowest point, which a search looks at; null when nothing came of the turn.
 */
export function createTurn(input: PerfTurnInput): (turn: MeasuringTurn) => Promise<LoadPoint | null> {
  const { plan, signal, output, results } = input;
  const { crossing } = plan;
  const inRounds = plan.repeats > 1 || crossing;
  let count = 0;
  const measure = ({ level, loadTool }: MeasuringTurn): Promise<readonly LoadPoint[]> => {
    count += 1;
    const workDir = join(input.dir, `level-${count}`);
    let isTold = false;
    return measureModels(
      input.loadTools[loadTool],
      measureInputs(input, level, {
        workDir,
        onLog: (lines) => {
          if (!isTold) for (const line of lines) output.say(line);
        },
        onCommand: (argv) => {
          // From here on perf_analyzer itself talks.
          isTold = true;
          output.say(argv.join(' '));
        },
      }),
    );
  };
  return async (turn) => {
    const { level, repeat, loadTool } = turn;
    const say = (line: string) => {
      output.say(`${crossing ? `${loadTool}, ` : ''}${line}`);
    };
    try {
      const measured = await measure(turn);
      const points = inRounds ? measured.map((point) => ({ ...point, repeat })) : measured;
      results.points.push(...points);
      for (const point of points) say(pointLine(point));
      return points.reduce((worst, point) =>
        budgetLatencyUs(point) > budgetLatencyUs(worst) ? point : worst,
      );
    } catch (caught) {
      if (signal.aborted) return null;
      const error = toWire(caught);
      results.missing.push({
        level,
        ...(inRounds ? { repeat } : {}),
        ...(crossing ? { loadTool } : {}),
        error,
      });
      say(`${levelText(level)}: no result: ${error.message}`);
      return null;
    }
  };
}
