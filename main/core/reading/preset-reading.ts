import type { Presets } from '../../presets/presets';
import type { Core } from '../core-interface';

/** Calls of the product's presets that read only. @param resources folder of the product */
export const createPresetReading = (
  presets: Presets,
  resources: string,
): Pick<Core['handlers'], 'presets.differences' | 'presets.list' | 'presets.published'> => ({
  'presets.list': () => Promise.resolve([...presets().values()].map((loaded) => loaded.preset)),
  'presets.published': async ({ preset }) => {
    if (!presets().has(preset)) return null;
    const { readPublished } = await import('../../presets/presets');
    return readPublished(resources, preset);
  },
  'presets.differences': async ({ spec, gpu }) => {
    const { preset, source } = spec.model;
    const loaded = source === undefined ? presets().get(preset) : undefined;
    if (loaded === undefined) return [];
    // Loaded here: it has the rules of every engine and format, which a list of presets needs not.
    const { procedureDifferences } = await import('../../presets/resolve-spec');
    return procedureDifferences(loaded.preset, { ...spec, targetGpu: gpu });
  },
});
