import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Preset } from '../contract/run/preset';
import type { LoadedPreset } from './presets';

/** Beside the program. */
export const prebuiltFile = 'presets.json';

/** By folder of `resources/models`, as the build has read and checked them. */
export type PrebuiltPresets = Readonly<Record<string, { readonly sha256: string; readonly preset: Preset }>>;

export const hashOfPreset = (yaml: Uint8Array): string => createHash('sha256').update(yaml).digest('hex');

/**
 * Presets without reading YAML, which takes longer than all else that a list needs.
 * @returns null without the file of the build, or where a preset is another one since
 */
export function readPrebuiltPresets(
  bundles: string,
  resources: string,
): ReadonlyMap<string, LoadedPreset> | null {
  try {
    const kept = JSON.parse(readFileSync(join(bundles, prebuiltFile), 'utf8')) as PrebuiltPresets;
    const root = join(resources, 'models');
    const presets = new Map<string, LoadedPreset>();
    for (const name of readdirSync(root).sort()) {
      const dir = join(root, name);
      const path = join(dir, 'preset.yaml');
      if (!existsSync(path)) continue;
      const found = kept[name];
      if (found?.sha256 !== hashOfPreset(readFileSync(path))) return null;
      presets.set(found.preset.id, { preset: found.preset, dir });
    }
    return presets;
  } catch {
    return null;
  }
}
