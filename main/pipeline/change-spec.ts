import { invalidInput, WorkbenchError } from '../contract/errors';
import { jobEngines } from '../contract/job/job-engines';
import { engineWords, inContainers } from '../contract/run/engine-kinds';
import { type Scenario, scenarios, stepsOf } from '../contract/run/run-events';
import type { EngineKind, RunSpec } from '../contract/run/run-spec';
import type { DeployedRun, MeasuredPoint, RunState } from '../contract/run/run-state';
import { type ChangePlan, fieldChanges } from '../contract/run/spec-tools';
import type { LoadLevel } from '../contract/run/sweep';
import { hashValue } from '../platform/files';
import type { SpecChanged } from '../store/run-seals';
import { askedLevels } from './measure/level-keys';
import { plannedSteps, stepKeys } from './plan';
import type { Step, StepInputs } from './step';
import { editedConfig } from './step-files';

interface OfModel {
  readonly model: { readonly preset?: unknown; readonly source?: unknown };
}

/** Throws input-invalid where the specifications are of different models: that is another run. Pure. */
export function requireSameModel({ model: before }: OfModel, { model: after }: OfModel): void {
  const field = (['preset', 'source'] as const).find(
    (name) => hashValue(before[name] ?? null) !== hashValue(after[name] ?? null),
  );
  if (field === undefined) return;
  throw new WorkbenchError('input-invalid', 'The model of a run cannot be changed', {
    where: `model.${field}`,
    remedy: 'Start a new run for another model.',
  });
}

interface OfEngine {
  readonly engine: { readonly kind: EngineKind };
}

/** Throws input-invalid where a run would become a job, or stop being one: who works on it is settled when it is made. Pure. */
function requireSameWorker({ engine: before }: OfEngine, { engine: after }: OfEngine): void {
  const schedulerOf = ({ kind }: OfEngine['engine']) => jobEngines.find((one) => one === kind) ?? null;
  const was = schedulerOf(before);
  if (was === schedulerOf(after)) return;
  const message =
    was === null
      ? 'A run on a machine cannot become a job'
      : `A run of ${engineWords(was).name} stays a job of it`;
  throw invalidInput('engine.kind', message, 'Start a new run with the other engine.');
}

const isOfMachine = (gpu: string): boolean => /^(?:GPU|MIG)-/i.test(gpu);

/**
 * On another host the run's GPUs, which nobody named anew, are chosen again: UUIDs are those of a machine. The change lists
 * them. Throws input-invalid for several, of which nobody knows how many are free there. Pure.
 */
function withGpusOfHost(before: RunSpec['engine'], after: RunSpec['engine']): RunSpec['engine'] {
  if (!inContainers(before) || !inContainers(after) || before.host === after.host) return after;
  const isKept = hashValue(before.gpus) === hashValue(after.gpus) && after.gpus.some(isOfMachine);
  if (!isKept) return after;
  if (after.gpus.length === 1) return { ...after, gpus: ['idlest'] };
  const place = (host: string | undefined) => (host === undefined ? 'this machine' : `the host ${host}`);
  throw new WorkbenchError(
    'input-invalid',
    `The GPUs of the run are those of ${place(before.host)}, and it would continue on ${place(after.host)}`,
    { where: 'engine.gpus', remedy: 'Name the GPUs of that machine, or "all".' },
  );
}

/**
 * The specification that a run continues with. Throws input-invalid for another model, for a run that would become a job or
 * stop being one, and for several GPUs of another machine. Pure.
 */
export function specOfChange(before: RunSpec, after: RunSpec): RunSpec {
  requireSameModel(before, after);
  requireSameWorker(before, after);
  return { ...after, engine: withGpusOfHost(before.engine, after.engine) };
}

/**
 * What a changed specification leads to, by the keys of steps and levels; null where it says nothing else. Throws
 * input-invalid, also for a file of the user's that is not there.
 * @param run with the changed specification.
 */
export async function specChange(
  steps: readonly Step[],
  state: DeployedRun,
  run: StepInputs,
): Promise<SpecChanged | null> {
  const { spec } = run;
  requireSameModel(state.source.spec, spec);
  const changed = fieldChanges(state.source.spec, spec);
  if (changed.length === 0) return null;
  const applying = stepsOf(spec);
  const own = steps.filter(({ id }) => applying.includes(id));
  const keys = await stepKeys(own, run);
  const planned = plannedSteps(own, state, keys);
  // The step `configure` writes its file anew.
  const edited = planned.has('configure') ? null : await editedConfig(run);
  const measured = new Set(scenarios.flatMap((scenario) => pointsOf(state, scenario)).map(({ key }) => key));
  const asked = scenarios.flatMap((scenario) =>
    planned.has(scenario)
      ? askedLevels({ spec, keys }, edited, scenario)
      : state.scenarios[scenario].points.map(({ key }) => key),
  );
  return {
    type: 'spec-changed',
    spec,
    specHash: hashValue(spec),
    changed: [...changed],
    steps: own.map(({ id }) => id).filter((id) => planned.has(id)),
    kept: asked.filter((key) => measured.has(key)),
  };
}

const pointsOf = (
  { scenarios: results, earlier }: RunState,
  scenario: Scenario,
): readonly MeasuredPoint[] => [...results[scenario].points, ...earlier[scenario]];

const levelOf = ({ batchSize, concurrency, requestRate }: LoadLevel): LoadLevel => ({
  batchSize,
  concurrency,
  ...(requestRate === undefined ? {} : { requestRate }),
});

/** The change as people are asked about it. Pure. */
export function changePlan(state: RunState, change: SpecChanged | null): ChangePlan {
  const before = scenarios.reduce((sum, scenario) => sum + state.scenarios[scenario].points.length, 0);
  const measured = scenarios.flatMap((scenario) =>
    pointsOf(state, scenario).map(({ key, point }) => ({ key, level: { scenario, ...levelOf(point) } })),
  );
  const isResult = scenarios.flatMap((scenario) => state.scenarios[scenario].points.map(({ key }) => key));
  const kept = new Set(change?.kept ?? isResult);
  return {
    changed: change?.changed ?? [],
    steps: change?.steps ?? [],
    measured: before,
    kept: kept.size,
    keptLevels: measured.filter(({ key }) => kept.has(key)).map(({ level }) => level),
  };
}
