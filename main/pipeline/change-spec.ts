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

/** Throws input-invalid for another model, which would be another run. */
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

/** Throws input-invalid if a run would become a job or stop being one, because that is decided at its creation. */
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

/** UUIDs are per machine, so another host's GPUs are chosen anew. Throws input-invalid for several GPUs. */
function withGpusOfHost(before: RunSpec['engine'], after: RunSpec['engine']): RunSpec['engine'] {
  if (!inContainers(before) || !inContainers(after) || before.host === after.host) return after;
  const isKept = hashValue(before.gpus) === hashValue(after.gpus) && after.gpus.some(isOfMachine);
  if (!isKept) return after;
  if (after.gpus.length === 1) return { ...after, gpus: ['idlest'] };
  const place = (host: string | undefined) => (host === undefined ? 'this machine' : `the host ${host}`);
  throw new WorkbenchError(
    'input-invalid',
    `The GPUs of the run are those of ${place(before.host)}, but it would continue on ${place(after.host)}`,
    { where: 'engine.gpus', remedy: 'Name the GPUs of that machine, or "all".' },
  );
}

/** Throws input-invalid for another model, for becoming or ceasing to be a job, and for several GPUs elsewhere. */
export function specOfChange(before: RunSpec, after: RunSpec): RunSpec {
  requireSameModel(before, after);
  requireSameWorker(before, after);
  return { ...after, engine: withGpusOfHost(before.engine, after.engine) };
}

/**
 * Effects of a changed specification by step and level keys; null if it is equal. Throws input-invalid, also for a
 * missing user file.
 * @param run with the changed specification
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
  // `configure` rewrites its file.
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
