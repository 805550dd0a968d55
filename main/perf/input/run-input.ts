import { stat } from 'node:fs/promises';
import type { Signature } from '../../contract/artefacts';
import { hashFile, hashFolder } from '../../platform/files';
import type { WantedTensors } from './wanted-tensor';
import { inputProblem, wantedTensors } from './wanted-tensor';

/** What a run's input data are read against: tensors of the served model, without the batch axis that each of them has. */
export function runTensors({ inputs, outputs }: Signature): WantedTensors {
  return {
    inputs: wantedTensors(inputs, { batched: true }),
    outputs: wantedTensors(outputs, { batched: true }),
  };
}

/** Hash of the file's, or the folder's, content. Throws input-invalid where there is none. */
export async function runInputHash(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw inputProblem(path, 'There is no such file or folder');
  return found.isDirectory() ? hashFolder(path) : hashFile(path);
}
