import { join } from 'node:path';
import type { ModelCard } from '../../contract/own/model-record';
import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';
import { cleanLine, shortText } from '../../platform/lines';
import { parseYaml } from '../../platform/parse-yaml';
import { readBoundedFile } from '../../platform/plain-entry';
import type { FolderFiles } from './folder-files';

const name = 'README.md';
const { cardBytes, cardEntries } = fileLimits.huggingFace;
const wanted: ReadonlySet<string> = new Set([
  'license',
  'license_name',
  'tags',
  'pipeline_tag',
  'base_model',
]);

/** Text of one line, or null for anything else. */
function lineOf(value: unknown): string | null {
  const text = typeof value === 'string' ? cleanLine(value).trim() : '';
  return text === '' ? null : shortText(text);
}

/** A text or a list of them. */
function linesOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.slice(0, cardEntries).flatMap((one) => lineOf(one) ?? []);
}

/** "other (llama3.1)": the id of the hub, and what the card calls it. */
function licenseOf({ license, license_name: named }: Tree): string | null {
  const ids = linesOf(license);
  if (ids.length === 0) return lineOf(named);
  const title = lineOf(named);
  return title === null ? ids.join(', ') : `${ids.join(', ')} (${title})`;
}

const nothing: ModelCard = { license: null, tags: [], pipelineTag: null, baseModels: [] };

/** YAML between two lines of "---" at the begin of a text; null where it has none. */
function frontMatter(text: string): string | null {
  const [, yaml] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  return yaml ?? null;
}

/**
 * Only what is asked for: evaluation results make some cards larger than any YAML that is read. A part begins at a key
 * without indentation.
 */
function wantedParts(yaml: string): string {
  let isWanted = false;
  const kept = yaml.split(/\r?\n/).filter((line) => {
    const [, key] = /^([A-Za-z_][\w-]*)[ \t]*:/.exec(line) ?? [];
    if (key !== undefined) isWanted = wanted.has(key);
    return isWanted;
  });
  return kept.join('\n');
}

/** What the front matter of a model card states. A card that cannot be read refuses no model. */
export function parseModelCard(text: string): ModelCard {
  const yaml = frontMatter(text);
  if (yaml === null) return nothing;
  let value: unknown;
  try {
    value = parseYaml(wantedParts(yaml));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...nothing, problem: shortText(cleanLine(reason)) };
  }
  if (!isTree(value)) return nothing;
  return {
    license: licenseOf(value),
    tags: [...linesOf(value['tags'])],
    pipelineTag: lineOf(value['pipeline_tag']),
    baseModels: [...linesOf(value['base_model'])],
  };
}

/** null where the folder has no README.md. */
export async function readModelCard(folder: string, files: FolderFiles): Promise<ModelCard | null> {
  const file = files.get(name);
  if (file === undefined) return null;
  if (file.problem !== undefined) return { ...nothing, problem: `${name} is ${file.problem}` };
  const read = await readBoundedFile(join(folder, name), cardBytes, { links: 'follow' });
  if (!('text' in read)) return { ...nothing, problem: read.problem };
  return parseModelCard(read.text);
}
