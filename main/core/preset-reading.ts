import { type Presets, readPublished } from '../presets/presets';
import { procedureDifferences } from '../presets/resolve-spec';
import type { Core } from './core-interface';

/** Calls of the product's presets that read only. @param resources folder of the product */
export const createPresetReading = (
  presets: Presets,
  resources: string,
): Pick<Core['handlers'], 'presets.differences' | 'presets.list' | 'presets.published'> => ({
  'presets.list': () => Promise.resolve([...presets().values()].map((loaded) => loaded.preset)),
  'presets.published': async ({ preset }) =>
    presets().has(preset) ? readPublished(resources, preset) : null,
  'presets.differences': ({ spec, gpu }) => {
    const { preset, source } = spec.model;
    const loaded = source === undefined ? presets().get(preset) : undefined;
    return Promise.resolve(
      loaded === undefined ? [] : procedureDifferences(loaded.preset, { ...spec, targetGpu: gpu }),
    );
  },
});
