import type { Handlers } from '../contract/api';
import type { LoadedPreset } from '../presets/presets';
import { requirePreset } from '../presets/presets';
import { editConfig } from './edit-config';
import { exportSpec } from './export-spec';
import { importSpec } from './import-spec';
import type { CommandPlaces } from './planned-commands';
import { previewSpec } from './preview-spec';

export interface SpecToolsOptions {
  readonly presets: ReadonlyMap<string, LoadedPreset>;
  readonly places: CommandPlaces;
}

/** The calls behind the wizard's forms. Each throws preset-unknown for a preset that there is not. */
export function createSpecTools(
  options: SpecToolsOptions,
): Pick<Handlers, 'spec.preview' | 'spec.editConfig' | 'spec.export' | 'spec.import'> {
  const presetOf = (id: string) => requirePreset(options.presets, id);
  return {
    'spec.preview': async (choice) => previewSpec(presetOf(choice.preset), choice, options.places),
    'spec.editConfig': async ({ text, ...choice }) =>
      Promise.resolve(editConfig(presetOf(choice.preset), choice, text)),
    'spec.export': async ({ as, ...choice }) =>
      Promise.resolve(exportSpec(presetOf(choice.preset), choice, as)),
    'spec.import': async ({ text, fileName, preset }) => {
      const imported = importSpec(presetOf(preset), text, fileName);
      const id = imported.choice?.preset;
      if (id === undefined || options.presets.has(id)) return Promise.resolve(imported);
      const known = [...options.presets.keys()].join(', ');
      const note = `There is no preset "${id}" here; the presets are: ${known}.`;
      return { ...imported, choice: null, notes: [...imported.notes, note] };
    },
  };
}
