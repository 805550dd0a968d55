import { rowOf } from '../../contract/fields/fields';
import { parameterText } from '../../contract/fields/parameter-text';
import type { KnownParameters } from '../../contract/run/run-source';
import { fieldText, specLeaves } from '../../contract/run/spec-tools';
import { servedBy } from '../run/served-by';
import { instancesText } from '../run/serving';

export interface SpecDifference {
  /** "configure.maxBatchSize". */
  readonly field: string;
  /** Label of a value derived from several fields; absent: the field's label. */
  readonly label?: string;
  /** One text per run; null where the run lacks the parameter. */
  readonly values: readonly (string | null)[];
}

function shownText(path: string, value: unknown): string {
  const row = rowOf(path);
  return row === undefined ? fieldText(value) : (parameterText(row, value) ?? 'none');
}

/**
 * Differences between the specifications, in their order; empty for fewer than two known ones.
 * @param text formats a value; raw values are compared
 * @param specs null of an imported run, partial of a measured server: unknown values do not differ
 */
export function diffSpecs(
  specs: readonly KnownParameters[],
  text: (path: string, value: unknown) => string = shownText,
): readonly SpecDifference[] {
  const all = specs.map((spec) => specLeaves(spec ?? {}));
  const fields = new Set(all.flatMap((leaves) => [...leaves.keys()]));
  return [...fields]
    .filter((field) => {
      const known = specs.flatMap((spec, index) =>
        spec !== null && (all[index]?.has(field) === true || 'model' in spec)
          ? [JSON.stringify(all[index]?.get(field))]
          : [],
      );
      return known.some((value) => value !== known[0]);
    })
    .map((field) => ({
      field,
      values: all.map((leaves) => (leaves.has(field) ? text(field, leaves.get(field)) : null)),
    }));
}

/** What executes the model follows from engine and format. */
export function servedByDifference(specs: readonly KnownParameters[]): readonly SpecDifference[] {
  const values = specs.map((spec) => (spec !== null && 'model' in spec ? servedBy(spec).backend : null));
  const known = new Set(values.filter((value) => value !== null));
  return known.size < 2 ? [] : [{ field: 'backend', label: 'Served by', values }];
}

export function instancesDifference(specs: readonly KnownParameters[]): readonly SpecDifference[] {
  const values = specs.map((spec) => (spec !== null && 'model' in spec ? instancesText(spec) : null));
  const known = new Set(values.filter((value) => value !== null));
  return known.size < 2 ? [] : [{ field: 'instance_group', label: 'Model instances in total', values }];
}
