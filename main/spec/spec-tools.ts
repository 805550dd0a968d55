import type { Handlers } from '../contract/api';
import type { Preset } from '../contract/preset';
import type { RunSpec } from '../contract/run-spec';
import type { Choice } from '../contract/spec-tools';
import { mergeTrees } from '../contract/trees';
import { createPresetOf, sourceOf } from '../own/preset-of';
import { minimalOverrides } from '../presets/minimal-overrides';
import type { LoadedPreset } from '../presets/presets';
import { exportSpec } from './export-spec';
import type { PreviewPlaces } from './preview-spec';
import { previewSpec } from './preview-spec';

export interface SpecToolsOptions {
  readonly presets: ReadonlyMap<string, LoadedPreset>;
  readonly places: PreviewPlaces;
  /** Whether what a file holds may be told; absent: always. That it exists is told anyway. */
  readonly mayRead?: (path: string) => Promise<boolean>;
}

const choiceFor = (preset: Preset, spec: RunSpec): Choice => ({
  preset: spec.model.preset,
  overrides: { ...minimalOverrides(preset, spec) },
});

/** The calls behind the wizard's forms. Each throws preset-unknown for a preset that there is not. */
export function createSpecTools(
  options: SpecToolsOptions,
): Pick<Handlers, 'spec.preview' | 'spec.choice' | 'spec.editConfig' | 'spec.export' | 'spec.import'> {
  const { readers } = options.places;
  const loadPreset = createPresetOf(options.presets, options.places.resources, readers);
  const presetOf = ({ preset, overrides }: Choice) =>
    loadPreset({ preset, source: sourceOf(overrides['model']) });
  return {
    'spec.preview': async (choice) =>
      previewSpec(await presetOf(choice), choice, options.places, options.mayRead),
    'spec.choice': async ({ spec }) => choiceFor((await loadPreset(spec.model)).preset, spec),
    'spec.editConfig': async ({ text, ...choice }) =>
      readers.configEdit({ loaded: await presetOf(choice), choice, text }),
    'spec.export': async ({ as, ...choice }) => exportSpec(await presetOf(choice), choice, as),
    'spec.import': async ({ text, fileName, preset, overrides = {} }) => {
      const { source: inText } = await readers.specModel({ text, fileName });
      const ofDraft = inText === undefined ? sourceOf(overrides['model']) : undefined;
      const source = inText ?? ofDraft;
      const loaded = await loadPreset({ preset, source });
      const imported = await readers.spec({ loaded, text, fileName, overrides });
      const id = imported.choice?.preset;
      if (id === undefined || inText !== undefined || options.presets.has(id)) return imported;
      if (ofDraft !== undefined && imported.choice !== null && imported.source !== 'run-yaml') {
        // What says a deployment of the model that is chosen is one of that model.
        const model = { source: ofDraft };
        return {
          ...imported,
          choice: { preset: id, overrides: mergeTrees({ model }, imported.choice.overrides) },
        };
      }
      const known = [...options.presets.keys()].join(', ');
      const note = `Unknown preset "${id}"; the presets are: ${known}.`;
      return { ...imported, choice: null, notes: [...imported.notes, note] };
    },
  };
}
