import type { ModelSource } from '../contract/run-spec';
import { sourceSchema } from '../contract/run-spec';
import type { LoadedPreset } from '../presets/presets';
import { requirePreset } from '../presets/presets';
import type { ModelReaders } from './model-readers';
import { ownPreset } from './own-preset';

/** The preset that a specification's model leads to: its own file or folder where it names one, else the published one. */
export type PresetOf = (model: {
  readonly preset: string;
  readonly source?: ModelSource | undefined;
}) => Promise<LoadedPreset>;

/** Throws preset-unknown, and model-folder-invalid for an own folder whose preset.yaml is gone or damaged. */
export function createPresetOf(
  presets: ReadonlyMap<string, LoadedPreset>,
  resources: string,
  readers: ModelReaders,
): PresetOf {
  return async ({ preset, source }) =>
    source === undefined ? requirePreset(presets, preset) : ownPreset(source, resources, readers);
}

/** The own model in the model part of a partial specification; undefined where it names none. */
export function sourceOf(model: unknown): ModelSource | undefined {
  const { source } = (model ?? {}) as { source?: unknown };
  const parsed = sourceSchema.safeParse(source);
  return parsed.success ? parsed.data : undefined;
}
