import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireError } from '../contract/errors';
import { toWire, WorkbenchError } from '../contract/errors';
import { inputDataSchema } from '../contract/input-data';
import type { Scenario } from '../contract/run-events';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { whileServing } from '../engine/while-serving';
import type { LoadLevel } from '../perf/load-tool';
import { scenarioLevels } from '../perf/scenario-levels';
import { hashValue } from '../platform/files';
import { levelFolder } from '../store/run-files';
import type { RunContext, StepContext, StepOutcome } from './step';

/** Everything of the specification that decides a level's value; the lists of levels do not. */
export function measuringInputs(run: Pick<RunContext, 'spec'>): unknown {
  const { performance } = run.spec;
  return {
    loadTool: performance.loadTool,
    protocol: performance.protocol,
    measurementMode: performance.measurementMode,
    measurementIntervalMs: performance.measurementIntervalMs,
    measurementRequestCount: performance.measurementRequestCount,
    stabilityPercentage: performance.stabilityPercentage,
    maxTrials: performance.maxTrials,
    warmupMs: performance.warmupMs,
  };
}

function levelKey(run: RunContext, scenario: Scenario, level: LoadLevel): string {
  const parts = [run.keys.configure, run.keys['profile-data'], measuringInputs(run), scenario, level];
  return hashValue(parts).slice(0, 32);
}

async function measureLevel(
  context: StepContext,
  scenario: Scenario,
  level: LoadLevel,
  key: string,
): Promise<void> {
  const { run, spec } = context;
  const { server } = run;
  if (server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
  const inputDataDir = run.folder.step('profile-data');
  const manifest = await readFile(join(inputDataDir, 'input-data.json'), 'utf8');
  const workDir = levelFolder(run.folder, scenario, level);
  await mkdir(workDir, { recursive: true });
  const what = `while batch size ${level.batchSize}, concurrency ${level.concurrency} was measured`;
  await whileServing(server, context.signal, what, async (signal) => {
    const point = await run.services.loadTools[spec.performance.loadTool].measure({
      ...server.forClients,
      protocol: spec.performance.protocol,
      modelName: spec.configure.modelName,
      modelVersion: String(spec.configure.modelVersion),
      inputData: inputDataSchema.parse(JSON.parse(manifest)),
      inputDataDir,
      level,
      batched: servedMaxBatchSize(spec.configure) > 0,
      settings: spec.performance,
      workDir,
      signal,
      onWindow: (window, index) => {
        run.emit({
          type: 'window',
          runId: run.runId,
          scenario,
          ...level,
          index,
          inferencesPerSecond: window.inferencesPerSecond,
          p99Us: window.p99Us,
        });
      },
      onLog: context.log,
      onCommand: (argv) => {
        // A journal that cannot be written fails the step at the line after this one.
        context.command(argv).catch(() => undefined);
      },
    });
    await run.append({ type: 'measurement', scenario, key, point });
  });
}

/** The tool has answers that concern one level only; anything else ends the sweep. */
const levelCodes = new Set<WireError['code']>(['load-tool-failed', 'measurement-failed', 'inference-failed']);

/**
 * Measures the levels one after the other. A level that stands in the journal is not measured again; one that
 * gives nothing is journalled as a hole and the next is measured; holes fail the step at the end.
 * `paused` when a pause was asked for before all were measured; never inside a level.
 */
export async function sweep(context: StepContext, scenario: Scenario): Promise<StepOutcome> {
  const { run } = context;
  const levels = scenarioLevels(run.spec.performance, scenario);
  const holes: string[] = [];
  let reused = 0;
  for (const [index, level] of levels.entries()) {
    const name = `batch size ${level.batchSize}, concurrency ${level.concurrency}`;
    const key = levelKey(run, scenario, level);
    if (run.state().scenarios[scenario].points.some((measured) => measured.key === key)) {
      reused += 1;
      continue;
    }
    if (run.pauseAsked()) return { paused: true };
    context.progress(index / levels.length, name);
    try {
      await measureLevel(context, scenario, level, key);
    } catch (error) {
      const wire = toWire(error);
      if (context.signal.aborted || !levelCodes.has(wire.code)) throw error;
      holes.push(`${name}: ${wire.message}`);
      await run.append({ type: 'measurement-missing', scenario, key, ...level, error: wire });
    }
  }
  const points = run.state().scenarios[scenario].points;
  const unsteady = points.filter((measured) => !measured.point.stable).length;
  context.fact('Levels', `${levels.length - holes.length} of ${levels.length} measured`);
  if (reused > 0) context.fact('Taken from the journal', `${reused}`);
  if (unsteady > 0)
    context.warning(`${unsteady} of ${points.length} levels did not become steady; they are marked.`);
  if (holes.length > 0) {
    throw new WorkbenchError(
      'measurement-failed',
      `${holes.length} of ${levels.length} levels gave no result`,
      {
        details: holes.join('\n'),
      },
    );
  }
  return {};
}
