import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatRate } from '../../contract/numbers';
import { levelText } from '../../contract/words';
import type { ServerLoad, ServerLoadListener } from '../../core';
import { writeFileAtomic } from '../../platform/files';
import type { CliContext } from '../context';
import { exitCodes, type Output } from '../output';
import { addPerfOptions, type PerfOptions } from './perf-options';
import { planText, readPerfPlan } from './perf-plan';
import { pointLine, tellResults } from './perf-print';

/** A line for everything that comes of the levels, as it comes. */
function listenerOf(load: ServerLoad, output: Output): ServerLoadListener {
  const prefix = (loadTool: string) => (load.tools.length > 1 ? `${loadTool}, ` : '');
  return {
    onBegin: (inTurns) => {
      output.say(planText(load));
      if (inTurns === null) return;
      const { levels, rounds } = inTurns;
      output.say(`${levels} levels in turns: ${rounds} rounds with one window per level`);
    },
    onLog: (line) => {
      output.say(line);
    },
    onPoints: (points, loadTool) => {
      for (const point of points) output.say(`${prefix(loadTool)}${pointLine(point)}`);
    },
    onRound: (level, round, { inferencesPerSecond }) => {
      output.say(`${levelText(level)}, round ${round}: ${formatRate(inferencesPerSecond)} inferences/s`);
    },
    onMissing: ({ level, error }, loadTool) => {
      output.say(`${prefix(loadTool)}${levelText(level)}: no result: ${error.message}`);
    },
  };
}

/** Resolves with the exit code. */
async function measure(context: CliContext, options: PerfOptions): Promise<number> {
  const output = context.output(options);
  const load = await readPerfPlan(options);
  const core = await context.core();
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = () => {
    if (signal.aborted) process.exit(exitCodes.cancelled);
    controller.abort();
  };
  const stops = ['SIGINT', 'SIGTERM'] as const;
  for (const name of stops) process.on(name, cancel);
  try {
    const results = await core.measureServer(load, {
      ...{
        what: `perf of ${load.models.map(({ name }) => name).join(' and ')} (process ${process.pid})`,
        signal,
      },
      onWaiting: (forWhat) => {
        output.say(`waiting for ${forWhat}, which is measuring on the same machine`);
      },
      listener: listenerOf(load, output),
    });
    const { latencyThreshold, csv } = options;
    tellResults(output, results, { crossing: load.tools.length > 1, latencyThreshold });
    if (csv !== undefined) {
      await writeFileAtomic(resolve(csv), core.levelsCsv(results.points));
      output.say(`The levels are in ${csv}`);
    }
    if (signal.aborted) return exitCodes.cancelled;
    return results.missing.length > 0 ? exitCodes.failed : exitCodes.done;
  } finally {
    for (const name of stops) process.off(name, cancel);
  }
}

/** `perf`: measures any running Triton. */
export function addPerf(program: Command, context: CliContext): void {
  const command = program.command('perf').description('Measure a model on a running Triton');
  addPerfOptions(command).action(async (options: PerfOptions) => {
    context.exit(await measure(context, options));
  });
}
