import { isDeepStrictEqual } from 'node:util';
import type { Preset } from '../contract/run/preset';
import type { RunSpec } from '../contract/run/run-spec';
import { isTree, type Tree, unsetAt } from '../contract/trees';
import { layerSpec, parseSpec } from './resolve-spec';

type Path = readonly string[];

/** One value however deep it is: a JSON merge patch, and the tensors that were read from an own model. */
const whole: ReadonlySet<string> = new Set(['configure.configPatch', 'model.source']);

/**
 * Fields that decide the defaults of others, in the order in which they are tried last: the defaults of everything
 * else are taken under the values that the run had.
 */
const deciding: readonly string[] = [
  'configure.maxBatchSize',
  'configure.instances',
  'model.dataset',
  'model.checkpoint',
  'precision',
  'format',
  'engine',
  'model.profile',
  'targetGpu',
];

function leavesOf(tree: Tree, to: Path = []): readonly Path[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...to, key];
    const branches = isTree(value) && Object.keys(value).length > 0 && !whole.has(path.join('.'));
    return branches ? leavesOf(value, path) : [path];
  });
}

/** Higher is tried later. An engine's fields are tried before its kind, which they need. */
function rank(path: Path): number {
  const at = deciding.findIndex((field) => path.join('.').startsWith(field));
  return at === -1 ? -1 : at + (path.join('.') === 'engine.kind' ? 0.5 : 0);
}

function led(preset: Preset, overrides: Tree): RunSpec | null {
  try {
    return parseSpec(layerSpec(preset, overrides));
  } catch {
    return null;
  }
}

/** A published GPU asks for containers, and a field of an engine belongs to one kind: both need the kind beside them. */
function needsEngine(overrides: Tree): boolean {
  const engine = isTree(overrides['engine']) ? overrides['engine'] : {};
  return overrides['targetGpu'] !== undefined || Object.keys(engine).some((key) => key !== 'kind');
}

/**
 * What a specification says that the preset does not say by itself under the same precision, format, profile and engine:
 * the overrides that lead to it and to nothing else, so that another precision brings its own tolerances. Pure.
 * @param preset of the specification's model. Where it no longer leads to the specification, everything that differs
 *   from what it leads to is kept.
 */
export function minimalOverrides(preset: Preset, spec: RunSpec): Tree {
  const all = unsetAt(unsetAt({ ...spec }, ['version']), ['model', 'preset']);
  const wanted = led(preset, all);
  if (wanted === null) return all;
  const byRank = leavesOf(all).toSorted((a, b) => rank(a) - rank(b));
  return byRank.reduce<Tree>((kept, path) => {
    const fewer = unsetAt(kept, path);
    if (path.join('.') === 'engine.kind' && needsEngine(kept)) return kept;
    return isDeepStrictEqual(led(preset, fewer), wanted) ? fewer : kept;
  }, all);
}
