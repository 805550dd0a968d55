import type { ImportRequest } from '../../contract/imported';
import type { InputData } from '../../contract/input-data';
import type { ReadCapture } from '../import/read-capture';
import type { WantedTensors } from './wanted-tensor';

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
