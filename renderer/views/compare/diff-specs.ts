import type { RunSpec } from '../../../main/contract/run-spec';

/** A parameter that is not the same in all runs. */
export interface SpecDifference {
  /** Dotted path in the run specification: "configure.maxBatchSize". */
  readonly field: string;
  /** One text a run; null where it has no such parameter. */
  readonly values: readonly (string | null)[];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Every leaf by its dotted path; lists are leaves. */
function leavesOf(value: unknown, path: string, leaves: Map<string, string>): Map<string, string> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      leavesOf(inner, path === '' ? name : `${path}.${name}`, leaves);
    }
  } else if (value !== undefined) {
    leaves.set(path, textOf(value));
  }
  return leaves;
}

/**
 * What the specifications say differently, in the order of the specification. Nothing for fewer than two that are known.
 * @param specs null of an imported run: nothing of it is known, which is no difference.
 */
export function diffSpecs(specs: readonly (RunSpec | null)[]): readonly SpecDifference[] {
  const all = specs.map((spec) => leavesOf(spec ?? {}, '', new Map()));
  const fields = new Set(all.flatMap((leaves) => [...leaves.keys()]));
  return [...fields]
    .map((field) => ({ field, values: all.map((leaves) => leaves.get(field) ?? null) }))
    .filter(({ values }) => {
      const known = values.filter((_value, index) => specs[index] !== null);
      return known.some((value) => value !== known[0]);
    });
}
