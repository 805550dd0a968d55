import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { RunSpec } from '../contract/run/run-spec';
import { exists } from '../platform/files';
import { folderRefused } from './model-files';

interface Part {
  readonly name: string;
  /** What a run calls in it. */
  readonly entry: string;
  readonly pattern: RegExp;
  /** The folder may do without. */
  readonly isOptional: boolean;
}

const part = (name: string, kind: 'def' | 'class', entry: string, isOptional: boolean): Part => ({
  name,
  entry,
  isOptional,
  pattern: new RegExp(`^${kind}\\s+${entry}\\b`, 'm'),
});

const datasetFile = 'make_dataset.py';

/** Files of code of a model folder. */
const parts: readonly Part[] = [
  part('model.py', 'def', 'get_model', false),
  part('dataloader.py', 'def', 'get_dataloader_fn', false),
  part('metrics.py', 'class', 'MetricsCalculator', false),
  part(datasetFile, 'def', 'make_dataset', true),
  part('train.py', 'def', 'train', true),
];

const largestSource = fileLimits.sourceCode.bytes;

/** What one file lacks, with what to do about it; null where it has what a run calls. */
async function faultOf(folder: string, { name, entry, pattern }: Part): Promise<WorkbenchError | null> {
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
  if (text === null) return folderRefused(path, `${name} cannot be read`, `Allow it: chmod u+r ${path}`);
  if (pattern.test(text)) return null;
  return folderRefused(
    path,
    `${name} does not define ${entry}`,
    `Define ${entry} at the top level of ${name}; "init DIR" writes a folder that shows how.`,
  );
}

/** Several faults of one folder as one. */
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
 * Looks for the files that a run needs and for the functions that it calls, in the text of the files: all that is missing is
 * one error. Throws model-folder-invalid.
 */
export async function checkFolderCode(folder: string): Promise<void> {
  const there = (name: string) => exists(join(folder, name));
  const missing: string[] = [];
  const faults: WorkbenchError[] = [];
  for (const one of parts) {
    if (!(await there(one.name))) {
      if (!one.isOptional) missing.push(one.name);
      continue;
    }
    const fault = await faultOf(folder, one);
    if (fault !== null) faults.push(fault);
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
}

/** What is said of a folder without code that makes data. */
export const datasetNote = `The folder has no ${datasetFile}: a run needs your data with --dataset.`;

/** Whether a run of an own folder generates its data set. */
export const makesDataset = (folder: string): Promise<boolean> => exists(join(folder, datasetFile));

/** A run that would have no data: before there is one. null where it has some. */
export async function missingDataset({ source, dataset }: RunSpec['model']): Promise<WorkbenchError | null> {
  if (source?.kind !== 'folder' || dataset !== undefined || (await makesDataset(source.path))) return null;
  return new WorkbenchError(
    'spec-invalid',
    `The run has no data: the model folder has no ${datasetFile}, and no data set is given`,
    {
      where: 'model.dataset',
      remedy: `Give the data that dataloader.py reads with --dataset PATH, or write ${datasetFile} with a function make_dataset(directory, progress): "triton-workbench init NEW_FOLDER" writes an example.`,
    },
  );
}
