import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { nearestName } from '../contract/fields/nearest-name';
import { fileLimits } from '../contract/reader-limits';
import type { Preset } from '../contract/run/preset';
import { exists } from '../platform/files';
import { datasetFile, makesDataset } from './folder-data';
import { folderRefused } from './model-files';

interface Part {
  readonly name: string;
  readonly entry: string;
  readonly pattern: RegExp;
  readonly isOptional: boolean;
}

const part = (name: string, kind: 'def' | 'class', entry: string, isOptional: boolean): Part => ({
  name,
  entry,
  isOptional,
  pattern: new RegExp(`^${kind}\\s+${entry}\\b`, 'm'),
});

const parts: readonly Part[] = [
  part('model.py', 'def', 'get_model', false),
  part('dataloader.py', 'def', 'get_dataloader_fn', false),
  part('metrics.py', 'class', 'MetricsCalculator', false),
  part(datasetFile, 'def', 'make_dataset', true),
  part('train.py', 'def', 'train', true),
  part('prepare_dataset.py', 'def', 'prepare_dataset', true),
  part('convert_checkpoint.py', 'def', 'convert_checkpoint', true),
  part('input_ranges.py', 'def', 'input_ranges', true),
];

const largestSource = fileLimits.sourceCode.bytes;

/** Python comments and strings as one token each, else single characters. */
const token = /#.*|"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[^]/g;

/** Top-level parameters at the start of a text, up to the closing bracket. */
function parametersOf(text: string): readonly string[] {
  const parameters = [''];
  let depth = 0;
  for (const [found] of text.matchAll(token)) {
    if ('([{'.includes(found)) depth += 1;
    else if (')]}'.includes(found)) depth -= 1;
    if (depth < 0) break;
    if (found === ',' && depth === 0) parameters.push('');
    else if (!found.startsWith('#')) parameters.push(`${parameters.pop() ?? ''}${found}`);
  }
  return parameters.map((parameter) => parameter.trim());
}

/** Argument names of a file's function or constructor; null: any name. */
function argumentsOf(text: string, { pattern }: Part): readonly string[] | null {
  const rest = text.slice(text.search(pattern));
  // Up to the next unindented statement.
  const own = /^[^]*?(?=\n[^\s#)]|$(?![^]))/.exec(rest)?.[0] ?? rest;
  const head = (own.startsWith('class') ? /\n\s+def\s+__init__\s*\(/ : /\(/).exec(own);
  if (head === null) return [];
  const parameters = parametersOf(own.slice(head.index + head[0].length));
  if (parameters.some((parameter) => parameter.startsWith('**'))) return null;
  return parameters.flatMap((parameter) => /^[^\W\d]\w*/.exec(parameter) ?? []);
}

/** Problems of one file; else its arguments. */
async function readPart(
  folder: string,
  one: Part,
): Promise<WorkbenchError | { readonly names: readonly string[] | null }> {
  const { name, entry, pattern } = one;
  const path = join(folder, name);
  const { size } = await stat(path);
  if (size > largestSource) {
    return folderRefused(
      path,
      `${name} has ${size} bytes, at most ${largestSource} are read`,
      'Keep data out of the code.',
    );
  }
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null)
    return folderRefused(path, `${name} cannot be read`, `Make it readable: chmod u+r ${path}`);
  if (pattern.test(text)) return { names: argumentsOf(text, one) };
  return folderRefused(
    path,
    `${name} does not define ${entry}`,
    `Define ${entry} at the top level of ${name}; "init DIR" writes a folder that shows how.`,
  );
}

/** Several faults of a folder as one error. */
export function allFaults(folder: string, faults: readonly WorkbenchError[]): WorkbenchError | null {
  const [first, ...others] = faults;
  if (first === undefined || others.length === 0) return first ?? null;
  const details = faults.flatMap((fault) => toWire(fault).details ?? []);
  return new WorkbenchError(first.code, faults.map(({ message }) => message).join('; '), {
    where: folder,
    remedy: [...new Set(faults.flatMap(({ remedy }) => remedy ?? []))].join(' '),
    details: details.length === 0 ? undefined : details.join('\n'),
  });
}

/**
 * Checks the code of a model folder for required files and functions; all faults are one error.
 * @returns argument names; null: any. Throws model-folder-invalid.
 */
export async function checkFolderCode(folder: string): Promise<readonly string[] | null> {
  const there = (name: string) => exists(join(folder, name));
  const missing: string[] = [];
  const faults: WorkbenchError[] = [];
  const taken: (readonly string[] | null)[] = [];
  for (const one of parts) {
    if (!(await there(one.name))) {
      if (!one.isOptional) missing.push(one.name);
      continue;
    }
    const read = await readPart(folder, one);
    if (read instanceof WorkbenchError) faults.push(read);
    else taken.push(read.names);
  }
  if (!(await there('preset.yaml'))) missing.push('preset.yaml');
  if (missing.length > 0) {
    const [first = ''] = missing;
    faults.unshift(
      folderRefused(
        missing.length === 1 ? join(folder, first) : folder,
        `The model folder lacks ${missing.join(', ')}`,
        `"triton-workbench init ${folder}" writes the files that are missing, as examples.`,
      ),
    );
  }
  const found = allFaults(folder, faults);
  if (found !== null) throw found;
  const names = taken.flatMap((one) => one ?? []).filter((name) => name !== 'self');
  return taken.includes(null) ? null : [...new Set(names)].toSorted();
}

/** Throws model-folder-invalid for profile arguments that no function takes. */
export async function checkArguments(
  folder: string,
  { profiles }: Preset,
  names: readonly string[] | null,
): Promise<void> {
  if (names === null) return;
  // Without it a run first asks for data, whose loader may take other arguments.
  const isWhole = await makesDataset(folder);
  const unknown = Object.entries(profiles).flatMap(([profile, { args }]) =>
    Object.keys(args).flatMap((name) => {
      const near = nearestName(name, names);
      if (names.includes(name) || (near === null && !isWhole)) return [];
      const meant = near === null ? '' : ` (did you mean ${near}?)`;
      return `profiles.${profile}.args.${name} is not an argument of the code${meant}`;
    }),
  );
  if (unknown.length === 0) return;
  const remedy = `Its arguments are: ${names.join(', ')}.`;
  throw folderRefused(join(folder, 'preset.yaml'), `preset.yaml: ${unknown.join('; ')}`, remedy);
}
