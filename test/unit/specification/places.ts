import { join } from 'node:path';
import { type CommandPlaces, plannedCommands } from '../../../main/pipeline/steps';
import { homeLayout } from '../../../main/platform/layout';
import { readPreset } from '../../../main/presets/presets';
import type { PreviewPlaces } from '../../../main/specification/preview-spec';
import { directReaders } from '../../support/direct-readers';

export const resources = join(process.cwd(), 'resources');
export const resnet50 = await readPreset(join(resources, 'models', 'resnet50'));

/** A home that nothing is installed in. */
export const commandPlaces: CommandPlaces = {
  layout: homeLayout('/home/of/the/workbench'),
  resources,
  workerFile: '/app/out/main/load-worker.cjs',
};
export const places: PreviewPlaces = {
  ...commandPlaces,
  layout: homeLayout('/home/of/the/workbench'),
  readers: directReaders,
  plannedCommands: (preset, spec) => plannedCommands(preset, spec, commandPlaces),
};

export const choice = (overrides: Record<string, unknown> = {}) => ({ preset: 'resnet50', overrides });
