import type { Choice } from '../../../main/contract/run/spec-tools';
import { mergeTrees } from '../../../main/contract/trees';

export interface VariedField {
  readonly path: string | null;
  readonly values: string;
}

export function varyText({ preset, overrides }: Choice, axes: readonly VariedField[]): string {
  const varied = axes.flatMap(({ path, values }) =>
    path === null || values.trim() === '' ? [] : [`${JSON.stringify(path)}: [${values}]`],
  );
  const common = Object.entries(mergeTrees(overrides, { model: { preset } }));
  return [
    `matrix: {${varied.join(', ')}}`,
    ...common.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`),
  ].join('\n');
}
