import type { knownSpec } from '../../../main/contract/run/server-load';
import { instancesText } from '../../../main/contract/run/serving';
import { fieldText, specLeaves } from '../../../main/contract/run/spec-tools';

/** A parameter that is not the same in all runs. */
export interface SpecDifference {
  /** Dotted path in the run specification: "configure.maxBatchSize". */
  readonly field: string;
  /** Of what follows from several fields; absent: the label of the field. */
  readonly label?: string;
  /** One text a run; null where it has no such parameter. */
  readonly values: readonly (string | null)[];
}

type KnownSpec = ReturnType<typeof knownSpec>;

const textsOf = (spec: KnownSpec): ReadonlyMap<string, string> =>
  new Map([...specLeaves(spec ?? {})].map(([path, value]) => [path, fieldText(value)]));

/**
 * What the specifications say differently, in the order of the specification. Nothing for fewer than two that are known.
 * @param specs null of an imported run, a part of one that measured a running Triton: what is not known does not differ.
 */
export function diffSpecs(specs: readonly KnownSpec[]): readonly SpecDifference[] {
  const all = specs.map(textsOf);
  const fields = new Set(all.flatMap((leaves) => [...leaves.keys()]));
  return [...fields]
    .map((field) => ({ field, values: all.map((leaves) => leaves.get(field) ?? null) }))
    .filter(({ values }) => {
      const known = values.filter((value, index) => {
        const spec = specs[index] ?? null;
        return spec !== null && (value !== null || 'model' in spec);
      });
      return known.some((value) => value !== known[0]);
    });
}

/** What instances and GPUs come to together, where the runs differ in it. */
export function instancesDifference(specs: readonly KnownSpec[]): readonly SpecDifference[] {
  const values = specs.map((spec) => (spec !== null && 'model' in spec ? instancesText(spec) : null));
  const known = new Set(values.filter((value) => value !== null));
  return known.size < 2 ? [] : [{ field: 'instance_group', label: 'Model instances in total', values }];
}
