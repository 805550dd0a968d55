import { stat } from 'node:fs/promises';
import { invalidInput } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';
import { flagOf, type GivenOptions } from './field-options';

type Field = readonly [field: string, what: string, path: string | undefined];

/** Files and folders that a specification names are there. Before there is a run: throws input-invalid. */
export async function requireGivenFiles(
  { model, accuracy, performance, engine }: RunSpec,
  options: GivenOptions,
): Promise<void> {
  const tls = 'tls' in engine ? engine.tls : undefined;
  const { inputData, inputDataFile } = performance;
  const fields: readonly Field[] = [
    ['model.checkpoint', 'The weights file', model.checkpoint],
    ['model.dataset', 'The data set', model.dataset],
    ['accuracy.golden', 'The golden file', accuracy.golden],
    ['performance.inputData', 'The input data', inputData === 'file' ? inputDataFile : undefined],
    ['engine.tls.caFile', 'The certificate file', tls?.caFile],
    ['engine.tls.certFile', 'The certificate file', tls?.certFile],
    ['engine.tls.keyFile', 'The key file', tls?.keyFile],
  ];
  for (const [field, what, path] of fields) {
    if (path === undefined || (await stat(path).catch(() => null)) !== null) continue;
    throw invalidInput(flagOf(field, options), `${what} ${path} does not exist`, 'Check the path.');
  }
}
