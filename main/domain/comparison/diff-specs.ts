import { rowOf } from '../../contract/fields/fields';
import { parameterText } from '../../contract/fields/parameter-text';
import type { KnownParameters } from '../../contract/run/run-source';
import { fieldText, specLeaves } from '../../contract/run/spec-tools';
import { servedBy } from '../run/served-by';
import { instancesText } from '../run/serving';

/** A parameter that is not the same in all runs. */
export interface SpecDifference {
  /** Dotted path in the run specification: "configure.maxBatchSize". */
  readonly field: string;
  /** Of what follows from several fields; absent: the label of the field. */
  readonly label?: string;
  /** One text a run; null where it has no such parameter. */
  readonly values: readonly (string | null)[];
}

/** A value as its parameter is shown everywhere. */
function shownText(path: string, value: unknown): string {
  const row = rowOf(path);
  return row === undefined ? fieldText(value) : (parameterText(row, value) ?? 'none');
}

/**
 * What the specifications say differently, in the order of the specification. Nothing for fewer than two that are known.
 * @param text of a value in the result; the values as the specification has them are what is compared
 * @param specs null of an imported run, a part of one that measured a running Triton: what is not known does not differ.
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

/** What executes the model, which follows from engine and format, where the runs differ in it. */
export function servedByDifference(specs: readonly KnownParameters[]): readonly SpecDifference[] {
  const values = specs.map((spec) => (spec !== null && 'model' in spec ? servedBy(spec).backend : null));
  const known = new Set(values.filter((value) => value !== null));
  return known.size < 2 ? [] : [{ field: 'backend', label: 'Served by', values }];
}

/** What instances and GPUs come to together, where the runs differ in it. */
export function instancesDifference(specs: readonly KnownParameters[]): readonly SpecDifference[] {
  const values = specs.map((spec) => (spec !== null && 'model' in spec ? instancesText(spec) : null));
  const known = new Set(values.filter((value) => value !== null));
  return known.size < 2 ? [] : [{ field: 'instance_group', label: 'Model instances in total', values }];
}
