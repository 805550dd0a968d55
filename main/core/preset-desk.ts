import type { Handlers } from '../contract/api';
import { sourceOf } from '../own/preset-of';
import { requirePreset } from '../presets/presets';
import { readPublished } from '../presets/published';
import { resolveSpec } from '../presets/resolve-spec';
import type { Core } from './core-interface';
import type { CoreParts } from './core-parts';

/** Presets, and the specification that a choice leads to. */
export function createPresetDesk({ presets, presetOf, options }: CoreParts): Pick<
  Core,
  'presets' | 'resolveSpec' | 'resolveChoice'
> & {
  readonly handlers: Pick<Handlers, 'presets.list' | 'presets.published' | 'presets.resolve'>;
} {
  const list = () => [...presets.values()].map((loaded) => loaded.preset);
  const resolve: Core['resolveSpec'] = (id, overrides) =>
    resolveSpec(requirePreset(presets, id).preset, overrides);
  return {
    presets: list,
    resolveSpec: resolve,
    resolveChoice: async ({ preset, overrides }) => {
      const loaded = await presetOf({ preset, source: sourceOf(overrides['model']) });
      return resolveSpec(loaded.preset, overrides);
    },
    handlers: {
      'presets.list': () => Promise.resolve(list()),
      'presets.published': async ({ preset }) =>
        presets.has(preset) ? readPublished(options.resources, preset) : null,
      'presets.resolve': (input) => Promise.resolve().then(() => resolve(input.preset, input.overrides)),
    },
  };
}
