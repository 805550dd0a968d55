import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { unknownPreset } from '../contract/fields/nearest-name';
import { type PublishedResults, publishedSchema } from '../contract/measured/baseline';
import type { Preset } from '../contract/run/preset';
import { exists } from '../platform/files';
import { mostYamlBytes, parseYaml } from '../platform/parse-yaml';
import { readBoundedFile } from '../platform/plain-entry';
import { checkPreset, presetError } from './preset-problems';

export interface LoadedPreset {
  readonly preset: Preset;
  readonly dir: string;
}

function presetIn(text: string, dir: string, path: string): LoadedPreset {
  let tree: unknown;
  try {
    tree = parseYaml(text);
  } catch (cause) {
    const { message, remedy } = toWire(cause);
    throw new WorkbenchError('model-folder-invalid', `preset.yaml: ${message.split('\n')[0] ?? ''}`, {
      where: path,
      remedy:
        remedy ??
        'Fix that line: "key: value" with a space after the colon, the same indentation for keys of one level, and quotes around text with a colon.',
      cause,
    });
  }
  const found = checkPreset(tree);
  if ('id' in found) return { preset: found, dir };
  throw presetError(found, path);
}

export async function readPreset(dir: string): Promise<LoadedPreset> {
  const path = join(dir, 'preset.yaml');
  const found = await readBoundedFile(path, mostYamlBytes);
  if ('problem' in found) {
    throw new WorkbenchError(
      'model-folder-invalid',
      `The folder has no readable preset.yaml: ${found.problem}`,
      {
        where: path,
        remedy: `For your own model, "triton-workbench init ${dir}" writes the missing files.`,
      },
    );
  }
  return presetIn(found.text, dir, path);
}

/** By id. Throws for an invalid folder and a duplicate id. */
export function readPresets(resources: string): ReadonlyMap<string, LoadedPreset> {
  const root = join(resources, 'models');
  const presets = new Map<string, LoadedPreset>();
  for (const name of readdirSync(root).sort()) {
    const dir = join(root, name);
    const path = join(dir, 'preset.yaml');
    if (!existsSync(path)) continue;
    const loaded = presetIn(readFileSync(path, 'utf8'), dir, path);
    if (presets.has(loaded.preset.id)) {
      throw new WorkbenchError(
        'model-folder-invalid',
        `Two model folders have the id "${loaded.preset.id}"`,
        { where: dir },
      );
    }
    presets.set(loaded.preset.id, loaded);
  }
  return presets;
}

/** Read when first used: most commands never need them. */
export type Presets = () => ReadonlyMap<string, LoadedPreset>;

/** @param prebuilt as the build has read them, or null */
export function createPresets(
  resources: string,
  prebuilt: () => ReadonlyMap<string, LoadedPreset> | null = () => null,
): Presets {
  let presets: ReadonlyMap<string, LoadedPreset> | undefined;
  return () => (presets ??= prebuilt() ?? readPresets(resources));
}

export function requirePreset(presets: ReadonlyMap<string, LoadedPreset>, id: string): LoadedPreset {
  const found = presets.get(id);
  if (found === undefined) throw new WorkbenchError('preset-unknown', unknownPreset(id, [...presets.keys()]));
  return found;
}

/** By `scripts/published-results.mjs`; null where there are none. Throws model-folder-invalid for another form. */
export async function readPublished(resources: string, preset: string): Promise<PublishedResults | null> {
  const path = join(resources, 'baselines', `${preset}.json`);
  if (!(await exists(path))) return null;
  const fail = (what: string, cause?: unknown) =>
    new WorkbenchError('model-folder-invalid', `The published figures of ${preset}: ${what}`, {
      where: path,
      remedy: 'Write the file again with scripts/published-results.mjs.',
      cause,
    });
  let tree: unknown;
  try {
    tree = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw fail('the file is not JSON', cause);
  }
  const parsed = publishedSchema.safeParse(tree);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw fail(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
  }
  if (parsed.data.preset !== preset) throw fail(`it is of "${parsed.data.preset}"`);
  return parsed.data;
}
