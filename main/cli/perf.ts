import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import type { LoadLevel } from '../contract/scenario-levels';
import { assertLoadKind } from '../perf/load-kind';
import { createTritonClient } from '../triton/client';
import { makeTemporaryFolder } from '../platform/temporary-folder';
import { readModelTraits } from '../triton/model-traits';
import { readTls } from '../triton/tls';
import type { CliContext } from './context';
import { exitCodes } from './output';
import { checkModels, readModelNames, readPerfModels } from './perf-models';
import { addPerfOptions } from './perf-options';
import type { PerfOptions } from './perf-options';
import { measureInTurns } from './perf-in-turns';
import { readPerfPlan } from './perf-plan';
import { planText } from './perf-plan-text';
import { tellResults } from './perf-results';
import type { PerfResults } from './perf-results';
import { runSweep } from './perf-sweep';
import { createTurn } from './perf-turn';
import { readShapes } from './read-shapes';

/** Resolves with the exit code. */
async function measure(context: CliContext, options: PerfOptions): Promise<number> {
  const output = context.output(options);
  const { modelVersion, latencyThreshold } = options;
  const plan = await readPerfPlan(options);
  const { addresses, protocol, levels, settings, crossing, byIntervals } = plan;
  const core = await context.core();
  const { loadTools } = core;
  const wanted = readModelNames(options.model);
  for (const tool of plan.tools) checkModels(loadTools[tool], wanted, { modelVersion, byIntervals });
  const client = createTritonClient(addresses.http, { tls: await readTls(addresses.httpTls) });
  for (const { name } of wanted) {
    assertLoadKind(await readModelTraits(client, { name, version: modelVersion }), {
      ...{ modelName: name, protocol, settings },
      batchSizes: levels.map((level) => level.batchSize),
    });
  }
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = () => signal.aborted;
  const cancel = () => {
    if (aborted()) process.exit(exitCodes.cancelled);
    controller.abort();
  };
  const stops = ['SIGINT', 'SIGTERM'] as const;
  for (const name of stops) process.on(name, cancel);
  const dir = await makeTemporaryFolder('triton-workbench-perf-', 'file-unwritable');
  const held: { release: () => Promise<void> } = { release: () => Promise.resolve() };
  const results: PerfResults = { points: [], missing: [] };
  let found: readonly LoadLevel[] | null;
  try {
    const models = await readPerfModels(client, wanted, {
      modelVersion,
      sources: options.inputData ?? [],
      shapes: readShapes(options.shape ?? []),
      dir,
      readers: core.readers,
    });
    held.release = await core.takeDevice(options.url, {
      what: `perf of ${wanted.map(({ name }) => name).join(' and ')} (process ${process.pid})`,
      signal,
      onWaiting: (forWhat) => {
        output.say(`waiting for ${forWhat}, which measures on the same machine`);
      },
    });
    output.say(planText(plan));
    const turns = { plan, loadTools, models, modelVersion, dir, signal, output, results };
    found =
      plan.inTurns && loadTools[plan.tools[0]].levelInTurns !== undefined
        ? await measureInTurns(turns)
        : await runSweep({ ...plan, aborted, one: createTurn(turns) });
  } finally {
    for (const name of stops) process.off(name, cancel);
    await held.release();
    await rm(dir, { recursive: true, force: true });
  }
  tellResults(output, results, { crossing, found, latencyThreshold });
  if (aborted()) return exitCodes.cancelled;
  return results.missing.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** `perf`: measures any running Triton. */
export function addPerf(program: Command, context: CliContext): void {
  const command = program.command('perf').description('Measure a model on any running Triton');
  addPerfOptions(command).action(async (options: PerfOptions) => {
    context.exit(await measure(context, options));
  });
}
