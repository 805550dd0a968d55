import type { Preset } from '../contract/preset';
import type { ImportedSpec } from '../contract/spec-tools';
import type { Tree } from '../contract/trees';
import { isTree } from '../contract/trees';
import { readVariables } from './read-variables';

/** True for the configuration file of the published runners. */
export function isRunnerConfig(tree: Tree): boolean {
  return Array.isArray(tree['configurations']);
}

/** A YAML value as the runner exports it to its stages; of a list of named things, the names. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(',');
  if (isTree(value) && typeof value['name'] === 'string') return value['name'];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const upper = (tree: Tree) =>
  Object.entries(tree).map(([name, value]) => [name.toUpperCase(), text(value)] as const);

/**
 * A runner configuration: parameters flat in each configuration (as the Temporal Fusion Transformer's, 1), or below
 * `parameters` (as Wide & Deep's, 2). The first configuration is taken. Pure.
 */
export function importRunner(preset: Preset, tree: Tree): ImportedSpec {
  const { configurations, ...rest } = tree;
  const list = Array.isArray(configurations) ? configurations.filter(isTree) : [];
  const [first] = list;
  const nested = first?.['parameters'];
  const source = isTree(nested) ? 'runner-yaml-2' : 'runner-yaml-1';
  if (first === undefined) return { source, choice: null, notes: ['The file contains no configuration.'] };
  // The checkpoint is named, not given by its path.
  const { checkpoint, ...parameters } = isTree(nested) ? nested : first;
  const variables = new Map([
    ...upper(rest),
    ...upper(checkpoint === undefined ? {} : { checkpoint_variant: checkpoint }),
    ...upper(parameters),
  ]);
  const { overrides, notes } = readVariables(preset, variables);
  const several =
    list.length > 1 ? [`The file has ${list.length} configurations; the first one was used.`] : [];
  return {
    source,
    choice: { preset: preset.id, overrides: { ...overrides } },
    notes: [...several, ...notes],
  };
}
