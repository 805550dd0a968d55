import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Preset, presetSchema } from '../../../../main/contract/run/preset';

/** The preset of this repository. */
export const resnet50: Preset = presetSchema.parse(
  parse(readFileSync(join(import.meta.dirname, '../../../../resources/models/resnet50/preset.yaml'), 'utf8')),
);
