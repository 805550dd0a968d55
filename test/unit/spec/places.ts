import { join } from 'node:path';
import { homeLayout } from '../../../main/platform/layout';
import { readPreset } from '../../../main/presets/presets';
import type { CommandPlaces } from '../../../main/spec/planned-commands';

export const resources = join(process.cwd(), 'resources');
export const resnet50 = await readPreset(join(resources, 'models', 'resnet50'));

/** A home that nothing is installed in. */
export const places: CommandPlaces = {
  layout: homeLayout('/home/of/the/workbench'),
  resources,
  workerFile: '/app/out/main/load-worker.cjs',
};

export const choice = (overrides: Record<string, unknown> = {}) => ({ preset: 'resnet50', overrides });
