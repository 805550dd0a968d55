import { stat } from 'node:fs/promises';
import { invalidInput } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';

type Field = readonly [field: string, what: string, path: string | undefined];

/** Files and folders that a specification names are there. Before there is a run: throws input-invalid. */
export async function requireGivenFiles({ model, accuracy, performance }: RunSpec): Promise<void> {
  const { inputData, inputDataFile } = performance;
  const fields: readonly Field[] = [
    ['model.checkpoint', 'The weights file', model.checkpoint],
    ['model.dataset', 'The data set', model.dataset],
    ['accuracy.golden', 'The golden file', accuracy.golden],
    ['performance.inputDataFile', 'The input data', inputData === 'file' ? inputDataFile : undefined],
  ];
  for (const [field, what, path] of fields) {
    if (path === undefined || (await stat(path).catch(() => null)) !== null) continue;
    throw invalidInput(field, `${what} ${path} does not exist`, 'Check the path.');
  }
}
