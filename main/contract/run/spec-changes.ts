import type { Scenario, StepId } from './run-events';
import type { RunSpec } from './run-spec';
import type { LoadLevel } from './scenario-levels';

/** One field that a run's specification had otherwise before; absent values: the field was not set. */
export interface FieldChange {
  /** Dotted path in the run specification: "performance.batchSizes". */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** A change of a run's specification, as its record shows it. */
export interface SpecChange {
  /** Wall clock, ISO 8601. */
  readonly at: string;
  readonly changed: readonly FieldChange[];
}

/** What a change would lead to, before it is made. */
export interface ChangePlan {
  /** Nothing where the specification already says it. */
  readonly changed: readonly FieldChange[];
  /** Steps that are done again, or for the first time, in their order. */
  readonly steps: readonly StepId[];
  /** Measurements that are results of the run now. */
  readonly measured: number;
  /** Measurements of the run, earlier ones too, that are its results under the changed specification. */
  readonly kept: number;
  /** Which they are, in the order of measuring. */
  readonly keptLevels: readonly (LoadLevel & { readonly scenario: Scenario })[];
}

/** Every leaf of a specification by its dotted path, in order; lists are leaves. */
export function specLeaves(
  value: unknown,
  path = '',
  leaves = new Map<string, unknown>(),
): ReadonlyMap<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      specLeaves(inner, path === '' ? name : `${path}.${name}`, leaves);
    }
  } else if (value !== undefined) {
    leaves.set(path, value);
  }
  return leaves;
}

/** The value of a field for people: "1, 2, 4", "on", "none". */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(fieldText).join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the second specification says differently, in the order of the specification. */
export function fieldChanges(before: RunSpec, after: RunSpec): readonly FieldChange[] {
  const [from, to] = [specLeaves(before), specLeaves(after)];
  const paths = [...new Set([...from.keys(), ...to.keys()])];
  return paths
    .filter((path) => JSON.stringify(from.get(path)) !== JSON.stringify(to.get(path)))
    .map((path) => ({
      path,
      ...(from.has(path) ? { from: from.get(path) } : {}),
      ...(to.has(path) ? { to: to.get(path) } : {}),
    }));
}

const shown = (value: unknown): string => (value === undefined ? 'not set' : fieldText(value));

/** "performance.batchSizes: 1, 2 → 1, 2, 4". */
export const changeText = ({ path, from, to }: FieldChange): string =>
  `${path}: ${shown(from)} → ${shown(to)}`;

/** "performance.batchSizes: 1, 2 → 1, 2, 4; precision: fp32 → fp16". */
export const changesText = (changed: readonly FieldChange[]): string => changed.map(changeText).join('; ');
