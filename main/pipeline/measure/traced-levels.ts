import { join } from 'node:path';
import { toWire } from '../../contract/errors';
import type { TraceEvent } from '../../contract/load/run-traces';
import type { LoadPoint } from '../../contract/measured/results';
import type { Scenario } from '../../contract/run/run-events';
import { loadKey, type MeasuringTurn, ofScenario, turnOf } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { slowText } from '../../domain/measured/slow/slow-text';
import type { ServerHandle } from '../../engine/engine';
import { endTracing, recordTrace } from '../../engine/record-trace';
import { whileServing } from '../../engine/serving';
import type { MeasureInput } from '../../perf/load-tool';
import { makeFolder } from '../../platform/files';
import { readTls } from '../../triton/tls';
import type { TracedServer } from '../../triton/trace-setting';
import type { StepContext } from '../step';

const leastLimitMs = 10_000;
const longestLimitMs = 120_000;
/** Of the time that the requests took when the level was measured. */
const patience = 3;

/** Input of a turn on this server. */
export type InputOf = (
  turn: MeasuringTurn,
  how: { readonly server: ServerHandle; readonly signal: AbortSignal },
) => MeasureInput;

interface Due {
  readonly key: string;
  readonly point: LoadPoint;
}

const tracedServer = async ({ httpAddress, forClients }: ServerHandle): Promise<TracedServer> => ({
  address: httpAddress,
  tls: await readTls(forClients.httpTls),
});

/** Before any level: what a killed attempt left switched on slows the measured requests. */
export async function endLeftTracing({ run }: StepContext, scenario: Scenario): Promise<void> {
  const { pending } = run.state().traces;
  if (pending === null) return;
  // Of a server that is gone, its settings are too.
  if (run.server?.traces !== undefined) await endTracing(await tracedServer(run.server), pending);
  await run.append({ type: 'trace', scenario, key: '', event: { kind: 'put-back' } });
}

/** Levels without traces yet, each once. */
function dueLevels({ run }: StepContext, scenario: Scenario): readonly Due[] {
  const { traces, scenarios } = run.state();
  const known = new Set(traces.levels.map(({ key }) => key));
  const seen = new Set<string>();
  return scenarios[scenario].points.filter(({ key, point }) => {
    const load = loadKey(point);
    if (seen.has(load)) return false;
    seen.add(load);
    return !known.has(key);
  });
}

function limitMsOf({ inferencesPerSecond, batchSize }: LoadPoint, requests: number): number {
  const expectedMs = (1000 * requests * batchSize) / inferencesPerSecond;
  return Number.isFinite(expectedMs)
    ? Math.min(longestLimitMs, leastLimitMs + patience * expectedMs)
    : leastLimitMs;
}

/** One level once more, until its signal. Its windows are not those of the run. */
async function sendLevel(context: StepContext, input: MeasureInput, loadTool: MeasuringTurn['loadTool']) {
  const workDir = `${input.workDir}-trace`;
  await makeFolder(workDir);
  while (!input.signal.aborted) {
    await context.run.services.loadTools[loadTool].measure({
      ...input,
      workDir,
      onWindow: () => undefined,
      onLog: () => undefined,
      onCommand: () => undefined,
    });
  }
}

async function traceLevel(
  context: StepContext,
  scenario: Scenario,
  { key, point }: Due,
  { server, requests, inputOf }: { server: ServerHandle; requests: number; inputOf: InputOf },
): Promise<void> {
  const { run, spec } = context;
  const { traces } = server;
  if (traces === undefined) return;
  const turn = turnOf(point, ofScenario(spec.performance, scenario).loadTool);
  const note = (event: TraceEvent) => run.append({ type: 'trace', scenario, key, event });
  const dir = join(context.dir, `traces-${key.slice(0, 12)}`);
  const name = levelText(point);
  context.progress(null, `tracing ${requests} requests, ${name}`);
  await whileServing(server, context.signal, `while requests of ${name} were traced`, async (signal) => {
    const files = await recordTrace({
      ...{ server: await tracedServer(server), traces, requests, dir, signal },
      model: spec.configure.modelName,
      limitMs: limitMsOf(point, requests),
      begun: (tracing) => note({ kind: 'begun', tracing }),
      putBack: () => note({ kind: 'put-back' }),
      load: (until) => sendLevel(context, inputOf(turn, { server, signal: until }), turn.loadTool),
    });
    const slow = files === 0 ? [] : await run.services.readers.slowRequests({ path: dir });
    await note({
      kind: 'traced',
      slow: [...slow],
      ...(files === 0 ? { problem: 'Triton wrote no trace' } : {}),
    });
    for (const one of slow) context.log([`Traced, ${name}: ${slowText(one)}`]);
  });
}

/**
 * Sends requests of each measured level once more with tracing on. Its failures are warnings: the results are complete.
 * @returns false: paused between levels
 */
export async function traceLevels(
  context: StepContext,
  scenario: Scenario,
  inputOf: InputOf,
): Promise<boolean> {
  const { run } = context;
  const { traceRequests: requests = 0 } = run.spec.performance;
  if (requests === 0) return true;
  const due = dueLevels(context, scenario);
  for (const level of due) {
    if (run.pauseAsked()) return false;
    const { server } = run;
    if (server?.traces === undefined) {
      context.warning('No requests were traced: this Triton has no trace file of the workbench.');
      return true;
    }
    try {
      await traceLevel(context, scenario, level, { server, requests, inputOf });
    } catch (error) {
      if (context.signal.aborted) throw error;
      const { message } = toWire(error);
      const { key } = level;
      await run.append({
        type: 'trace',
        scenario,
        key,
        event: { kind: 'traced', slow: [], problem: message },
      });
      context.warning(`No requests were traced, ${levelText(level.point)}: ${message}`);
    }
  }
  return true;
}
