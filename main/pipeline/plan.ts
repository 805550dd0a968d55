import { invalidInput } from '../contract/errors';
import { scenarios, type StepId, stepIds, stepsOf } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { hashValue } from '../platform/files';
import type { Step, StepInputs } from './step';

export type StepKeys = Readonly<Record<StepId, string>>;

/** Key of a step: the hash of its inputs and of the keys of the steps it needs. */
export async function stepKey(step: Step, run: StepInputs, keys: Partial<StepKeys>): Promise<string> {
  const needs = step.needs.map((id) => keys[id]);
  return hashValue({ step: step.id, inputs: await step.inputs(run), needs }).slice(0, 32);
}

export async function stepKeys(steps: readonly Step[], run: StepInputs): Promise<StepKeys> {
  const keys: Partial<Record<StepId, string>> = {};
  for (const step of steps) keys[step.id] = await stepKey(step, run, keys);
  return keys as StepKeys;
}

/** A step that this run has finished with the same inputs is not done again. */
export function isUnchanged(step: Step, state: RunState, key: string): boolean {
  const before = state.steps.find((candidate) => candidate.id === step.id);
  return (
    step.kind !== 'session' &&
    !state.again.some(({ scenario }) => scenario === step.id) &&
    (before?.status === 'done' || before?.skippedBecause === 'cached') &&
    before.key === key
  );
}

/** The steps that will run; a session step only when one that needs it does. Pure. */
export function plannedSteps(steps: readonly Step[], state: RunState, keys: StepKeys): ReadonlySet<StepId> {
  const planned = new Set<StepId>();
  for (const step of steps) {
    if (step.kind !== 'session' && !isUnchanged(step, state, keys[step.id])) planned.add(step.id);
  }
  // What is made of another step's result is made again with it, also of what a session serves.
  const again = new Set<StepId>(planned);
  for (const step of steps) if (step.needs.some((id) => again.has(id))) again.add(step.id);
  for (const step of steps) if (step.kind !== 'session' && again.has(step.id)) planned.add(step.id);
  for (const step of steps) {
    const wanted = steps.some((other) => other.needs.includes(step.id) && planned.has(other.id));
    if (step.kind === 'session' && wanted) planned.add(step.id);
  }
  return planned;
}

/** The step and all that need it, directly or through others. Pure. */
export function withDependents(steps: readonly Step[], id: StepId): readonly StepId[] {
  const found = new Set<StepId>([id]);
  // A step stands behind those that it needs.
  for (const step of steps) if (step.needs.some((need) => found.has(need))) found.add(step.id);
  return [...found];
}

/** Levels are to be measured: the device is needed. Pure. */
export function needsDevice(planned: ReadonlySet<StepId>): boolean {
  return scenarios.some((scenario) => planned.has(scenario));
}

/** Containers are to be started, for which images have to be there. Pure. */
export function needsContainers(steps: readonly Step[], planned: ReadonlySet<StepId>): boolean {
  return steps.some(({ id, needs }) => planned.has(id) && (id === 'images' || needs.includes('images')));
}

/** Throws when ids repeat, or a step needs one that does not stand before it. */
export function checkSteps(steps: readonly Step[]): readonly Step[] {
  const seen = new Set<StepId>();
  for (const step of steps) {
    if (seen.has(step.id)) throw new Error(`The step "${step.id}" is registered twice`);
    for (const need of step.needs) {
      if (!seen.has(need))
        throw new Error(`The step "${step.id}" needs "${need}", which no earlier step provides`);
    }
    seen.add(step.id);
  }
  if (stepIds.some((id) => !seen.has(id))) throw new Error('A step of the contract is not registered');
  return steps;
}

/** The step and all that need it, of those that the specification has. Throws input-invalid where it has no such step. */
export function stepsFrom(steps: readonly Step[], spec: RunSpec, from: StepId): readonly StepId[] {
  const applying = stepsOf(spec);
  if (!applying.includes(from)) {
    throw invalidInput('step', `This run has no step "${from}"`, `Its steps are ${applying.join(', ')}.`);
  }
  return withDependents(steps, from).filter((id) => applying.includes(id));
}
