import { invalidInput } from '../contract/errors';
import { scenarios, type StepId, stepIds, stepsOf } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { hashValue } from '../platform/files';
import type { Step, StepInputs } from './step';

export type StepKeys = Readonly<Record<StepId, string>>;

/** SHA-256 of the step's inputs and the keys of needed steps. */
export async function stepKey(step: Step, run: StepInputs, keys: Partial<StepKeys>): Promise<string> {
  const needs = step.needs.map((id) => keys[id]);
  return hashValue({ step: step.id, inputs: await step.inputs(run), needs }).slice(0, 32);
}

export async function stepKeys(steps: readonly Step[], run: StepInputs): Promise<StepKeys> {
  const keys: Partial<Record<StepId, string>> = {};
  for (const step of steps) keys[step.id] = await stepKey(step, run, keys);
  return keys as StepKeys;
}

/** Whether this run finished the step with the same inputs. */
export function isUnchanged(step: Step, state: RunState, key: string): boolean {
  const before = state.steps.find((candidate) => candidate.id === step.id);
  return (
    step.kind !== 'session' &&
    !state.again.some(({ scenario }) => scenario === step.id) &&
    (before?.status === 'done' || before?.skippedBecause === 'cached') &&
    before.key === key
  );
}

/** Steps to run; session steps only if a dependent runs. */
export function plannedSteps(steps: readonly Step[], state: RunState, keys: StepKeys): ReadonlySet<StepId> {
  const planned = new Set<StepId>();
  for (const step of steps) {
    if (step.kind !== 'session' && !isUnchanged(step, state, keys[step.id])) planned.add(step.id);
  }
  // Dependents of a repeated step are repeated, also those of sessions.
  const again = new Set<StepId>(planned);
  for (const step of steps) if (step.needs.some((id) => again.has(id))) again.add(step.id);
  for (const step of steps) if (step.kind !== 'session' && again.has(step.id)) planned.add(step.id);
  for (const step of steps) {
    const wanted = steps.some((other) => other.needs.includes(step.id) && planned.has(other.id));
    if (step.kind === 'session' && wanted) planned.add(step.id);
  }
  return planned;
}

/** The steps up to this one; all without it. */
export const stepsUntil = (steps: readonly Step[], until: StepId | undefined): readonly Step[] =>
  until === undefined ? steps : steps.slice(0, steps.findIndex(({ id }) => id === until) + 1);

/** The step with direct and indirect dependents. */
export function withDependents(steps: readonly Step[], id: StepId): readonly StepId[] {
  const found = new Set<StepId>([id]);
  // Steps are after those they need.
  for (const step of steps) if (step.needs.some((need) => found.has(need))) found.add(step.id);
  return [...found];
}

export function needsDevice(planned: ReadonlySet<StepId>): boolean {
  return scenarios.some((scenario) => planned.has(scenario));
}

export function needsContainers(steps: readonly Step[], planned: ReadonlySet<StepId>): boolean {
  return steps.some(({ id, needs }) => planned.has(id) && (id === 'images' || needs.includes('images')));
}

/** Throws for repeated ids, or steps before those they need. */
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

/** The step with its dependents, restricted to the specification's. Throws input-invalid for other steps. */
export function stepsFrom(steps: readonly Step[], spec: RunSpec, from: StepId): readonly StepId[] {
  const applying = stepsOf(spec);
  if (!applying.includes(from)) {
    throw invalidInput('step', `This run has no step "${from}"`, `Its steps are ${applying.join(', ')}.`);
  }
  return withDependents(steps, from).filter((id) => applying.includes(id));
}
