import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatRate } from '../../contract/numbers';
import type { ServerLoad } from '../../contract/run/server-load';
import { levelText, loadToolText } from '../../contract/words';
import type { ServerLoadListener, ServerResults } from '../../core';
import { answerLines } from '../../domain/measured/again';
import { requireOutput, writeOutput } from '../../platform/files';
import { type CliContext, exitCodes, type Output, printText, progressOf } from '../output';
import { errorDocument, formatError } from '../print/format-error';
import { readHeaders } from '../read-values';
import { budgetOf } from '../settings';
import { codeOf } from '../work';
import type { PerfOptions } from './perf-options';
import { addPerfOptions, byFlag, readPerfPlan, wireByFlag } from './perf-plan';
import { pointLine, printResults } from './perf-print';
import {
  checkRepositoryOptions,
  keepConfigs,
  type StartedRepository,
  startRepository,
} from './perf-repository';
import { planText } from './plan-text';

function listenerOf(load: ServerLoad, output: Output): ServerLoadListener {
  const prefix = (loadTool: string) => (load.tools.length > 1 ? `${loadTool}, ` : '');
  return {
    onBegin: (inTurns) => {
      output.say(planText(load));
      if (inTurns === null) return;
      const { levels, rounds } = inTurns;
      output.say(`${levels} levels in turns: ${rounds} rounds with one window per level`);
    },
    onLog: (line) => output.say(line),
    onPoints: (points, { loadTool }) => {
      for (const point of points) {
        const tool = point.loadToolVersion === undefined ? prefix(loadTool) : `${loadToolText(point)}, `;
        output.say(`${tool}${pointLine(point)}`);
      }
    },
    onRound: (level, round, { inferencesPerSecond }) =>
      output.say(`${levelText(level)}, round ${round}: ${formatRate(inferencesPerSecond)} inferences/s`),
    onMissing: ({ level, error }, { loadTool }) => {
      output.say(`${prefix(loadTool)}${levelText(level)}: no result: ${error.message}`);
    },
  };
}

function limitOf({ search, settings: { percentile } }: ServerLoad) {
  return {
    latencyThreshold: search === null ? undefined : String(search.thresholdUs / 1000),
    limited: `p${percentile === 0 ? 99 : percentile}`,
    isEdge: search?.kind === 'edge',
  };
}

/** Starts a Triton first where a repository is given in place of an address, and ends it afterwards. */
async function perfOf(context: CliContext, typed: PerfOptions): Promise<number> {
  checkRepositoryOptions(typed);
  if (typed.modelRepository === undefined) return measure(context, typed, null);
  const output = context.output(typed);
  const core = await context.core();
  const started = await startRepository(core, typed.modelRepository, typed, (line) => output.say(line));
  try {
    return await measure(context, started.options, started);
  } finally {
    await started.stop();
  }
}

async function measure(
  context: CliContext,
  options: PerfOptions,
  started: StartedRepository | null,
): Promise<number> {
  const output = context.output(options);
  const load = await readPerfPlan(
    options,
    async (part) => (await context.core()).handlers['replay.read'](part),
    (line) => output.say(line),
  );
  const { csv } = options;
  // Before all levels are measured.
  if (csv !== undefined) await requireOutput(csv);
  const core = await context.core();
  const p99BudgetMs = await budgetOf(core, options.p99BudgetMs);
  const headers = readHeaders(options.header ?? []);
  const { runId } = await core.handlers['runs.createOnServer']({ load, p99BudgetMs, headers });
  if (started !== null) await keepConfigs(core, runId, started.models);
  const held: { results: ServerResults | null } = { results: null };
  const stopListening = core.subscribe((event) => {
    if (event.type !== 'journal' || event.entry.type !== 'run-waiting' || event.entry.for === null) return;
    output.say(`waiting for ${event.entry.for}, which is measuring on the same machine`);
  });
  const asked = { times: 0 };
  const cancel = () => {
    asked.times += 1;
    if (asked.times > 1) process.exit(exitCodes.cancelled);
    // The run may have ended meanwhile.
    core.handlers['runs.cancel']({ runId }).catch(() => undefined);
  };
  const stops = ['SIGINT', 'SIGTERM'] as const;
  for (const name of stops) process.on(name, cancel);
  try {
    const listener: ServerLoadListener = {
      ...listenerOf(load, progressOf(output)),
      onEnd: (results) => {
        held.results = results;
      },
    };
    const { end } = await core.handlers['runs.execute']({ runId, listener, headers });
    const { outcome, error: failure } = await end;
    const error = failure === null ? null : wireByFlag(failure, options);
    const { results } = held;
    if (results !== null) {
      printResults(output, results, {
        ...{ runId, crossing: load.tools.length > 1 },
        ...limitOf(load),
      });
      if (csv !== undefined) {
        await writeOutput(resolve(csv), await core.handlers['runs.levelsCsv']({ points: results.points }));
        output.say(`The levels are in ${csv}`);
      }
    }
    output.say(`Run ${runId}`);
    const { state } = await core.handlers['runs.show']({ runId });
    // Of a server that is ended, nothing can be measured again.
    const isAgain = (line: string) => started !== null && line.includes(` resume ${runId} --again`);
    for (const line of answerLines(state)) if (!isAgain(line)) output.say(line);
    if (outcome === 'failed' && error !== null && results === null) {
      // Printed here: thrown, it would look like a usage error, with which nothing is started.
      printText(`${formatError(error)}\n`, 'stderr');
      if (output.json) output.document(errorDocument(error));
    }
    return codeOf({ outcome }, state);
  } finally {
    stopListening();
    for (const name of stops) process.off(name, cancel);
  }
}

export function addPerf(program: Command, context: CliContext): void {
  const command = program
    .command('perf')
    .description('Measure a model on a running Triton, also with the options of perf_analyzer')
    .version(program.version() ?? '', '--version', 'Print the version of the workbench.');
  addPerfOptions(command).action(async (options: PerfOptions) => {
    context.exit(
      await perfOf(context, options).catch((error: unknown) => {
        throw byFlag(error, options);
      }),
    );
  });
}
