import { type ErrorCode, fromWire, toWire } from '../../contract/errors';
import type { StepId } from '../../contract/run/run-events';
import type { RunSpec } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import { type JointStrategy, jointStrategySchema } from '../../contract/study/joint';
import type { Searched, SearchedFormat, SearchStrategy } from '../../contract/study/search';
import type { StudyBody, StudySpec, StudyTrial } from '../../contract/study/study';
import { mergeTrees } from '../../contract/trees';
import { trialOfModel } from '../../domain/study/joint/joint-study';
import { modelNumberOf, modelsOf, modelText } from '../../domain/study/search/search-models';
import { searchOf } from '../../domain/study/search/search-study';
import { hashValue } from '../../platform/files';
import { stopWith } from '../begin-trial';
import { isStopped, type StudyHands, type StudyStops } from '../study-hands';

export interface PrepareHands extends Pick<StudyHands, 'resolve'> {
  readonly runs: Pick<StudyHands['runs'], 'create' | 'execute' | 'annotate' | 'cancel' | 'pause'>;
  readonly store: Pick<StudyHands['store'], 'list' | 'load'>;
  /** A run whose model can be served as it was verified. Throws run-unknown, input-invalid, verification-failed. */
  readonly verified: (runId: string) => Promise<DeployedRun>;
}

export interface Preparing {
  readonly hands: PrepareHands;
  readonly spec: StudySpec;
  /** What earlier processes found. */
  readonly earlier: Searched;
  readonly stops: StudyStops;
  readonly record: (body: StudyBody) => Promise<void>;
}

export interface Prepared {
  /** By {@link modelNumberOf}, or place of several models, without those that could not be made; empty: the study names its runs. */
  readonly runIds: ReadonlyMap<number, string>;
  /** With the candidates whose model could not be made. */
  readonly searched: Searched;
}

/** The model is served from what `configure` wrote, and asked with what this step left. */
const lastStep: StepId = 'profile-data';

interface Wanted {
  readonly number: number;
  /** Of its run. */
  readonly name: string;
  /** Served by the same Triton; null: it is the first. */
  readonly base: RunSpec | null;
}

function trialOf({ spec }: Preparing, number: number): StudyTrial {
  const trial = spec.strategy.trials[number - 1];
  if (trial === undefined) throw new Error(`No trial ${number}`);
  return trial;
}

/** The run of a trial, also one that a killed process created and did not journal; null: none, or it was removed. */
async function runOf(preparing: Preparing, { number }: Wanted): Promise<string | null> {
  const { hands, spec } = preparing;
  const entry = hashValue(trialOf(preparing, number).choice);
  const { runs } = await hands.store.list();
  return runs.find(({ matrix }) => matrix?.name === spec.name && matrix.entry === entry)?.runId ?? null;
}

async function created(preparing: Preparing, { number, name, base }: Wanted): Promise<string> {
  const { hands, spec: study } = preparing;
  const { choice } = trialOf(preparing, number);
  const { preset, overrides } = choice;
  const engine = base === null ? {} : { engine: base.engine };
  const spec = await hands.resolve({ preset, overrides: mergeTrees(overrides, engine) });
  const matrix = { name: study.name, entry: hashValue(choice) };
  const runId = await hands.runs.create(spec, undefined, { matrix, name: name.slice(0, longestName) });
  await hands.runs.annotate(runId, { tags: [study.name], note: '' });
  return runId;
}

const longestName = 80;

/** A person paused the run itself before its model was made. */
async function isUnfinished({ store }: PrepareHands, runId: string): Promise<boolean> {
  const { state } = await store.load(runId);
  const last = state.steps.find(({ id }) => id === lastStep)?.status;
  return last !== 'done' && last !== 'skipped';
}

/** Executes a run up to its verified model. @returns null: it, or the search, was stopped. Throws what it failed with. */
async function executed({ hands, spec, stops }: Preparing, runId: string): Promise<DeployedRun | null> {
  const asks = { pause: 'pause', leave: 'pause', cancel: 'cancel', close: 'cancel' } as const;
  const dispose = stopWith({ hands, stops }, runId, asks);
  try {
    const { skipPreflight } = spec;
    const { end } = await hands.runs.execute(runId, { until: lastStep, skipPreflight });
    const { outcome, error } = await end;
    if (isStopped(stops)) return null;
    if (outcome === 'cancelled') stops.cancel.abort();
    else if (error !== null) throw fromWire(error);
    else {
      const model = await hands.verified(runId).catch(async (cause: unknown) => {
        // One that was made and cannot be served does not pause: its reason ends the search.
        if (outcome === 'paused' && (await isUnfinished(hands, runId))) return null;
        throw cause;
      });
      if (model !== null) return model;
      stops.pause.abort();
    }
    return null;
  } finally {
    dispose();
  }
}

/** The model of a trial, made where it is not there. @returns null: stopped. Throws what its run failed with. */
async function made(preparing: Preparing, wanted: Wanted): Promise<DeployedRun | null> {
  const { hands, spec, stops, record } = preparing;
  const { number } = wanted;
  const known = await runOf(preparing, wanted);
  const verified = known === null ? null : await hands.verified(known).catch(() => null);
  if (verified !== null) return verified;
  await record({ type: 'trial-begun', number, turn: number, of: spec.strategy.trials.length, host: null });
  const ended = { type: 'trial-ended', number, isMoved: false } as const;
  try {
    const runId = known ?? (await created(preparing, wanted));
    await record({ type: 'trial-run', number, runId, job: null });
    const model = await executed(preparing, runId);
    await record({ ...ended, outcome: model === null ? 'cancelled' : 'done', error: null });
    return model;
  } catch (cause) {
    if (isStopped(stops)) return null;
    await record({ ...ended, outcome: null, error: toWire(cause) });
    throw cause;
  }
}

/** They end the search: no model is to blame for them. */
const ofMachine: ReadonlySet<ErrorCode> = new Set(['toolchain-missing', 'disk-full', 'docker-unreachable']);

/** Candidates of a model that has not failed yet. */
const candidatesOf = (search: SearchStrategy, model: number, { failed }: Searched): readonly number[] =>
  search.candidates
    .map((_one, at) => at + 1)
    .filter((number) => modelNumberOf(search, number) === model && failed[number] === undefined);

/** The run of each model that are searched together; those that have none are made. @returns null: stopped. Throws what one failed with. */
async function prepareJoint(preparing: Preparing, joint: JointStrategy): Promise<Prepared | null> {
  const { hands, spec, earlier, stops } = preparing;
  const runIds = new Map<number, string>();
  const first = joint.models.find(({ runId }) => runId !== null)?.runId ?? null;
  let base = first === null ? null : (await hands.verified(first)).source.spec;
  for (const [at, { runId, title }] of joint.models.entries()) {
    if (isStopped(stops)) return null;
    const name = `${spec.name} ${title}`;
    const run =
      runId === null
        ? await made(preparing, { number: trialOfModel(joint, at), name, base })
        : await hands.verified(runId);
    if (run === null) return null;
    base ??= run.source.spec;
    runIds.set(at, run.runId);
  }
  return { runIds, searched: earlier };
}

/**
 * Makes each model that a candidate needs as a run of its own: exported, converted and checked, and not measured. One that
 * cannot be made fails its candidates, and the others continue. @returns null: a stop cut it off. Throws what the run of
 * the search failed with, and where the machine is to blame.
 */
export async function prepareModels(preparing: Preparing): Promise<Prepared | null> {
  const { hands, spec, earlier, record, stops } = preparing;
  const { trials } = spec.strategy;
  const joint = jointStrategySchema.safeParse(spec.strategy).data;
  if (joint !== undefined) return prepareJoint(preparing, joint);
  const search = trials.length === 0 ? null : searchOf({ spec });
  if (search === null) return { runIds: new Map(), searched: earlier };
  const models = modelsOf(search);
  // A search that began without a run has one trial more.
  const first = trials.length - (models.length - 1);
  const base =
    search.runId === null
      ? await made(preparing, { number: first, name: spec.name, base: null })
      : await hands.verified(search.runId);
  if (base === null) return null;
  const runIds = new Map([[0, base.runId]]);
  let searched = earlier;
  for (let model = 1; model < models.length; model += 1) {
    const own = candidatesOf(search, model, searched);
    if (own.length === 0) continue;
    if (isStopped(stops)) return null;
    try {
      const name = `${spec.name} ${modelText(models[model] as SearchedFormat)}`;
      const one = await made(preparing, { number: first + model, name, base: base.source.spec });
      if (one === null) return null;
      runIds.set(model, one.runId);
    } catch (cause) {
      const error = toWire(cause);
      if (ofMachine.has(error.code)) throw cause;
      for (const candidate of own) {
        await record({ type: 'candidate-failed', candidate, error });
        searched = { ...searched, failed: { ...searched.failed, [candidate]: error } };
      }
    }
  }
  return { runIds, searched };
}
