import { stat } from 'node:fs/promises';
import type { InputData } from '../../contract/measured/input-data';
import type { Signature } from '../../contract/run/artefacts';
import type { ImportRequest } from '../../contract/run/imported';
import { hashFile, hashFolder } from '../../platform/files';
import type { ReadCapture } from '../import/parse-profile-export';
import { inputProblem, type WantedTensors, wantedTensors } from './wanted-tensor';

interface InputFile {
  readonly path: string;
  readonly wanted: WantedTensors;
  /** Dimensions by input name where the file gives none. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

interface StoredInput {
  readonly data: InputData;
  readonly entries: number;
}

/** What is read of input data and of perf_analyzer's files, each in a process of its own; they throw as ModelReaders do. */
export interface InputReaders {
  capture: (input: ImportRequest) => Promise<ReadCapture>;
  inputCheck: (input: InputFile) => Promise<void>;
  /** Reads the file and writes its tensors into the folder. */
  inputStore: (input: InputFile & { readonly dir: string }) => Promise<StoredInput>;
}

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
  if (found === null) throw inputProblem(path, 'The file or folder does not exist');
  return found.isDirectory() ? hashFolder(path) : hashFile(path);
}
