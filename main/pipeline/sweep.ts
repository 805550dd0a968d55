import { join } from 'node:path';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';
import { applies, valuesAt, valuesOf } from '../contract/fields/fields';
import { performanceFields } from '../contract/fields/performance-fields';
import { marksOf } from '../contract/flag-text';
import { type InputData, inputDataSchema } from '../contract/measured/input-data';
import type { LoadPoint } from '../contract/measured/results';
import { fileLimits } from '../contract/reader-limits';
import { isElsewhere } from '../contract/run/engine-kinds';
import type { Scenario } from '../contract/run/run-events';
import {
  type MeasuringTurn,
  ofScenario,
  plannedTurns,
  scenarioLevels,
  toolsOf,
  turnOf,
} from '../contract/run/sweep';
import { sameValue } from '../contract/trees';
import { levelText } from '../contract/words';
import { inLongerWindows } from '../domain/measured/again';
import { whileServing } from '../engine/serving';
import { withReadings } from '../perf/readings';
import { measureSweep } from '../perf/sweep/sweep';
import { hashValue, makeFolder } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { heldUpOr } from './device-turn';
import { HeldUp } from './hold';
import { levelLine, ServerLost, withFreshServers } from './level-tries';
import type { RunContext, StepContext, StepOutcome } from './step';
import { editedConfig } from './step-files';
import { servedShape, turnInput } from './sweep-commands';

/**
 * Everything of the specification that decides a level's value; the lists of levels do not. Fields with a default of the
 * schema came later than the first runs: they count only where they are in use, so that earlier levels keep their keys.
 */
export function measuringInputs({ spec }: Pick<RunContext, 'spec'>, scenario: Scenario): unknown {
  const valueAt = valuesAt({ ...spec, performance: ofScenario(spec.performance, scenario) });
  return Object.fromEntries(
    performanceFields
      .filter((row) => row.decides === 'level' && applies(row, valueAt))
      .map((row) => [row.path, valueAt(row.path), valuesOf(row).default] as const)
      .filter(([, value, usual]) => value !== undefined && !sameValue(value, usual))
      .map(([path, value]) => [path, value]),
  );
}

/** How often and with which tools the levels are measured: decides a sweep, and none of its measurements. */
export function repeatInputs({ spec }: Pick<RunContext, 'spec'>): readonly unknown[] {
  const { repeats, crossCheck } = spec.performance;
  return [...(repeats === 1 ? [] : [{ repeats }]), ...(crossCheck ? [{ crossCheck }] : [])];
}

interface Sweep {
  readonly context: StepContext;
  readonly scenario: Scenario;
  readonly holes: string[];
  reused: number;
  /** Levels one after the other that Triton did not live through. */
  lostInRow: number;
  /** See `editedConfig`. */
  readonly edited: string | null;
}

type KeyedRun = Pick<RunContext, 'spec' | 'keys'>;

/**
 * The key of `deploy` stands for the server: its configuration, model, images and place. The first measurement with the
 * chosen tool has the key of a level that is measured once.
 * @param edited see `editedConfig`.
 */
function keyOfLevel(
  run: KeyedRun,
  edited: string | null,
  scenario: Scenario,
  { level, repeat, loadTool }: MeasuringTurn,
): string {
  const turn = {
    ...(edited === null ? {} : { edited }),
    ...(repeat === 1 ? {} : { repeat }),
    ...(loadTool === ofScenario(run.spec.performance, scenario).loadTool ? {} : { loadTool }),
  };
  const parts = [run.keys.deploy, run.keys['profile-data'], measuringInputs(run, scenario), scenario, level];
  return hashValue(Object.keys(turn).length === 0 ? parts : [...parts, turn]).slice(0, 32);
}

const levelKey = ({ context, scenario, edited }: Sweep, turn: MeasuringTurn): string =>
  keyOfLevel(context.run, edited, scenario, turn);

/** Keys of the levels that the specification asks for; none of a search, which alone knows what it will try. */
export function askedLevels(run: KeyedRun, edited: string | null, scenario: Scenario): readonly string[] {
  const { performance } = run.spec;
  if (scenario === 'online' && performance.search !== 'none') return [];
  return plannedTurns(performance, scenario).map((turn) => keyOfLevel(run, edited, scenario, turn));
}

/** Levels that an earlier specification of the run asked for too are not measured again. */
async function keepEarlier({ context, scenario }: Sweep, asked: readonly string[]): Promise<void> {
  const { run } = context;
  const earlier = new Set(run.state().earlier[scenario].map(({ key }) => key));
  const keys = asked.filter((key) => earlier.has(key));
  if (keys.length > 0) await run.append({ type: 'levels-kept', scenario, keys });
}

/** Where a level is measured several times, which time this is; else nothing. */
function turnFields(run: RunContext, { repeat, loadTool }: MeasuringTurn) {
  const { repeats, crossCheck } = run.spec.performance;
  return { ...(repeats > 1 ? { repeat } : {}), ...(crossCheck ? { loadTool } : {}) };
}

function turnText(run: RunContext, { level, repeat, loadTool }: MeasuringTurn): string {
  const { repeats, crossCheck } = run.spec.performance;
  const parts = [
    ...(repeats > 1 ? [`repeat ${repeat} of ${repeats}`] : []),
    ...(crossCheck ? [loadTool] : []),
  ];
  return parts.length === 0 ? levelText(level) : `${levelText(level)} (${parts.join(', ')})`;
}

function asServed(data: InputData, batched: boolean): InputData {
  if (batched) return data;
  const withAxis = (tensor: InputData['tensors'][number]) => ({
    ...tensor,
    shape: servedShape(tensor.shape, batched),
    ...(tensor.shapes === undefined
      ? {}
      : { shapes: tensor.shapes.map((shape) => servedShape(shape, batched)) }),
  });
  const { tensors, expected } = data;
  return {
    ...data,
    tensors: tensors.map(withAxis),
    ...(expected === undefined ? {} : { expected: expected.map(withAxis) }),
  };
}

async function measureLevel(
  context: StepContext,
  scenario: Scenario,
  turn: MeasuringTurn,
  { key, times, restarts }: { readonly key: string; readonly times: number; readonly restarts: number },
): Promise<void> {
  const { level, repeat, loadTool } = turn;
  const { run } = context;
  const { server } = run;
  if (server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
  const inputDataDir = run.folder.step('profile-data');
  const manifest = await readPlainText(join(inputDataDir, 'input-data.json'), fileLimits.stepJson.bytes);
  const input = turnInput({ ...run, forClients: server.forClients }, scenario, turn);
  await makeFolder(input.workDir);
  const what = `while ${turnText(run, turn)} was measured`;
  const sources = { metricsAddress: server.metricsAddress, watchGpus: run.services.watchGpus };
  const inputData = asServed(inputDataSchema.parse(JSON.parse(manifest)), input.batched);
  const point = await whileServing(server, context.signal, what, (signal) =>
    withReadings(sources, (onWindow) =>
      run.services.loadTools[loadTool].measure({
        ...input,
        settings: inLongerWindows(input.settings, times),
        inputData,
        inputDataDir,
        signal,
        onWindow: (window, index) => {
          onWindow(window.durationUs);
          run.emit({
            type: 'window',
            runId: run.runId,
            scenario,
            ...level,
            index,
            inferencesPerSecond: window.inferencesPerSecond,
            p99Us: window.p99Us,
            scheduledP99Us: window.scheduledP99Us,
          });
        },
        onLog: context.log,
        onCommand: (argv) => {
          // A journal that cannot be written fails the step at the line after this one.
          context.command(argv).catch(() => undefined);
        },
      }),
    ),
  );
  await run.append({
    type: 'measurement',
    scenario,
    key,
    point: {
      ...point,
      ...(run.spec.performance.repeats > 1 ? { repeat } : {}),
      ...(restarts === 0 ? {} : { restarts }),
      ...(times === 1 ? {} : { longer: times }),
    },
  });
}

/** The tool has answers that concern one level only; anything else but the end of Triton ends the sweep. */
const levelCodes = new Set<WireError['code']>(['load-tool-failed', 'measurement-failed', 'inference-failed']);

const mostLostInRow = 3;

/** How much longer the windows of a measurement are that was asked for again; null of any other. */
function againTimes(run: RunContext, scenario: Scenario, key: string): number | null {
  const due = run.state().again.find((one) => one.scenario === scenario && one.key === key);
  return due?.times ?? null;
}

/** The measurements that were asked for again. */
function turnsAgain({ context, scenario }: Sweep): readonly MeasuringTurn[] {
  const { run } = context;
  const { loadTool } = ofScenario(run.spec.performance, scenario);
  return run
    .state()
    .scenarios[scenario].points.filter(({ key }) => againTimes(run, scenario, key) !== null)
    .map(({ point }) => turnOf(point, loadTool));
}

/** The level's point, from the journal where it stands there; null: it gave nothing, which is journalled as a hole. */
async function pointOf(sweep: Sweep, turn: MeasuringTurn, fraction: number): Promise<LoadPoint | null> {
  const { context, scenario } = sweep;
  const { run } = context;
  const key = levelKey(sweep, turn);
  await keepEarlier(sweep, [key]);
  const measured = () => run.state().scenarios[scenario].points.find((one) => one.key === key)?.point ?? null;
  const known = measured();
  const name = turnText(run, turn);
  const times = againTimes(run, scenario, key);
  if (known !== null && times === null) {
    sweep.reused += 1;
    context.log([`${levelLine(name, known)}, measured in an earlier attempt`]);
    return known;
  }
  try {
    await withFreshServers(context, name, (restarts) => {
      context.progress(fraction, restarts === 0 ? name : `${name}, try ${restarts + 1}`);
      return measureLevel(context, scenario, turn, { key, times: times ?? 1, restarts });
    });
    sweep.lostInRow = 0;
    const point = measured();
    if (point !== null) context.log([levelLine(name, point)]);
    return point;
  } catch (error) {
    const wire = toWire(error);
    const isLost = error instanceof ServerLost;
    if (context.signal.aborted || !(isLost || levelCodes.has(wire.code))) throw error;
    const end = await heldUpOr(run, error);
    if (end instanceof HeldUp) throw end;
    sweep.holes.push(`${name}: ${wire.message}`);
    context.log([`ERROR: ${name}: ${wire.message}`]);
    await run.append({
      type: 'measurement-missing',
      scenario,
      key,
      ...turn.level,
      ...turnFields(run, turn),
      error: wire,
    });
    sweep.lostInRow = isLost ? sweep.lostInRow + 1 : 0;
    if (isLost) refuseMore(sweep, error);
    return null;
  }
}

/** A server of others is not started again, and one that ends in level after level is the model's fault or the machine's. */
function refuseMore({ context, lostInRow }: Sweep, error: ServerLost): void {
  if (isElsewhere(context.spec.engine)) throw error;
  if (lostInRow < mostLostInRow) return;
  const { where, remedy, details } = error;
  const message = `Triton stopped in ${lostInRow} levels in a row: ${error.message}`;
  throw new WorkbenchError(error.code, message, { where, remedy, details, cause: error });
}

function isMeasured(sweep: Sweep, turn: MeasuringTurn): boolean {
  const { context, scenario } = sweep;
  const key = levelKey(sweep, turn);
  if (againTimes(context.run, scenario, key) !== null) return false;
  const { scenarios, earlier } = context.run.state();
  return [...scenarios[scenario].points, ...earlier[scenario]].some((measured) => measured.key === key);
}

/** How many levels are in doubt, a sentence per doubt: "1 of 3 levels: not steady." */
export function doubtsOf(points: readonly LoadPoint[]): readonly string[] {
  const marks = points.flatMap(marksOf);
  return [...new Set(marks)].map(
    (mark) => `${marks.filter((other) => other === mark).length} of ${points.length} levels: ${mark}.`,
  );
}

/**
 * Measures the levels one after the other, or online those that the specification's search tries. A level that stands in
 * the journal is not measured again; one whose Triton ends is tried again with a fresh one; one that gives nothing is
 * journalled as a hole and the next is measured; holes fail
 * the step at the end. `paused` when a pause was asked for before all were measured; never inside a level.
 */
export async function sweep(context: StepContext, scenario: Scenario): Promise<StepOutcome> {
  const { run } = context;
  const { performance } = run.spec;
  const holes: string[] = [];
  const levels = scenarioLevels(performance, scenario);
  const all: Sweep = {
    context,
    scenario,
    holes,
    reused: 0,
    lostInRow: 0,
    edited: await editedConfig(run),
  };
  await keepEarlier(all, askedLevels(run, all.edited, scenario));
  const { search, latencyThresholdMs } = performance;
  const searched = scenario === 'online' && search !== 'none';
  // A search may pass by what was asked for again.
  for (const turn of searched ? turnsAgain(all) : []) {
    if (run.pauseAsked()) return { paused: true };
    await pointOf(all, turn, 0);
  }
  const end = await measureSweep(
    {
      levels,
      repeats: performance.repeats,
      tools: toolsOf(ofScenario(performance, scenario)),
      search: searched ? { kind: search, thresholdUs: latencyThresholdMs * 1000 } : null,
    },
    {
      measure: (turn, fraction) => pointOf(all, turn, fraction),
      shouldStop: (turn) => run.pauseAsked() && !isMeasured(all, turn),
    },
  );
  if (end.stopped) return { paused: true };
  const { tried, found } = end;
  if (found !== null) {
    const [best] = found;
    const text = best === undefined ? 'none' : levelText(best);
    context.fact(`Last level with p99 within ${latencyThresholdMs} ms`, text);
  }
  const { points } = run.state().scenarios[scenario];
  const what = searched || tried === levels.length ? 'levels' : 'measurements';
  context.fact(what === 'levels' ? 'Levels' : 'Measurements', `${tried - holes.length} of ${tried} measured`);
  if (all.reused > 0) context.fact('Taken from the journal', `${all.reused}`);
  for (const warning of doubtsOf(points.map(({ point }) => point))) context.warning(warning);
  if (holes.length > 0) {
    throw new WorkbenchError('measurement-failed', `${holes.length} of ${tried} ${what} returned no result`, {
      details: holes.join('\n'),
    });
  }
  return {};
}
