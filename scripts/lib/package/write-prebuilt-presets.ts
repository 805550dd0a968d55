import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashOfPreset, prebuiltFile, type PrebuiltPresets } from '../../../main/presets/prebuilt-presets';
import { readPresets } from '../../../main/presets/presets';

/** What the build keeps of the presets below `resources`. */
export const prebuiltPresets = (resources: string): PrebuiltPresets =>
  Object.fromEntries(
    [...readPresets(resources).values()].map(({ preset, dir }) => [
      basename(dir),
      { sha256: hashOfPreset(readFileSync(join(dir, 'preset.yaml'))), preset },
    ]),
  );

interface Emitter {
  emitFile(file: { readonly type: 'asset'; readonly fileName: string; readonly source: string }): unknown;
}

/** Vite plugin: writes the presets as JSON beside the bundles. */
export const writePrebuiltPresets = (resources: string) => ({
  name: 'prebuilt-presets',
  generateBundle(this: Emitter): void {
    const source = JSON.stringify(prebuiltPresets(resources));
    this.emitFile({ type: 'asset', fileName: prebuiltFile, source });
  },
});
