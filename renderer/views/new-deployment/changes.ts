import type { Preset } from '../../../main/contract/run/preset';
import { type Precision, type RunSpec, runSpecSchema } from '../../../main/contract/run/run-spec';
import { getAt, type Keys, leavesOf, sameValue, type Tree } from '../../../main/contract/trees';
import { counted } from '../../format/words';
import { ownModelKeys, patchKeys } from '../../stores/draft/draft-state';

export function engineDefaults(kind: unknown): Tree {
  const parsed = runSpecSchema.shape.engine.safeParse({ kind });
  return parsed.success ? { ...parsed.data } : {};
}

/**
 * Defaults depend on profile, precision and GPU. For these fields themselves the preset's own default counts; for the
 * precision the one that the core reported, where it did.
 */
export function defaultOf(
  preset: Preset,
  defaults: RunSpec | null,
  keys: Keys,
  precision?: Precision,
): unknown {
  switch (keys.join('.')) {
    case 'model.profile':
      return Object.hasOwn(preset.profiles, 'quick') ? 'quick' : Object.keys(preset.profiles)[0];
    case 'precision': {
      if (precision !== undefined) return precision;
      const profile = defaults === null ? undefined : preset.profiles[defaults.model.profile];
      return profile?.defaults['precision'] ?? preset.defaults['precision'] ?? defaults?.precision;
    }
    // The defaults are those under the chosen GPU.
    case 'targetGpu':
      return undefined;
    default:
      return (
        getAt(defaults, keys) ??
        (keys[0] === 'engine' ? getAt(engineDefaults('docker'), keys.slice(1)) : undefined)
      );
  }
}

export interface Change {
  readonly keys: Keys;
  readonly from: unknown;
  readonly to: unknown;
}

export const changesText = (count: number): string =>
  count === 0 ? 'all defaults' : `${counted(count, 'change')} from the defaults`;

const isWithin = (outer: Keys, keys: Keys): boolean => outer.every((key, at) => keys[at] === key);

export function changesOf(
  preset: Preset,
  defaults: RunSpec | null,
  overrides: Tree,
  precision?: Precision,
): readonly Change[] {
  // The model itself is chosen elsewhere, and is not a change.
  const leaves = leavesOf(overrides).filter(
    ([keys]) => !isWithin(patchKeys, keys) && !isWithin(ownModelKeys, keys),
  );
  // All hand edits of config.pbtxt are one change.
  const patch = getAt(overrides, patchKeys);
  const all = patch === undefined ? leaves : [...leaves, [patchKeys, patch] as const];
  return all
    .map(([keys, to]) => ({ keys, from: defaultOf(preset, defaults, keys, precision), to }))
    .filter(({ from, to }) => !sameValue(from, to));
}
