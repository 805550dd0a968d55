import { stat } from 'node:fs/promises';
import type { InputData } from '../../contract/measured/input-data';
import type { SlowRequests } from '../../contract/measured/slow-requests';
import type { Signature } from '../../contract/run/artefacts';
import type { ImportRequest } from '../../contract/run/imported';
import type { ReplayRead } from '../../contract/run/run-spec';
import { hashFile, hashFolder } from '../../platform/files';
import type { ReadCapture } from '../import/read-capture';
import type { PromptSource } from '../prompts/read-prompts';
import type { countTokens } from '../prompts/tokenizer';
import type { ReplayPart } from '../replay/read-replay';
import { inputProblem, type WantedTensors, wantedTensors } from './wanted-tensor';

interface InputFile {
  readonly path: string;
  readonly wanted: WantedTensors;
  /** By input name, for shapes that the file lacks. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

interface StoredInput {
  readonly data: InputData;
  readonly entries: number;
}

/** Readers of input data and perf_analyzer's files, which run in the reader process and throw as ModelReaders. */
export interface InputReaders {
  capture: (input: ImportRequest) => Promise<readonly ReadCapture[]>;
  replayRead: (part: ReplayPart) => Promise<ReplayRead>;
  /** Writes what is kept of the part to a file. */
  replayStore: (part: ReplayPart & { readonly to: string }) => Promise<ReplayRead>;
  /** Of a trace file, or a folder of them. */
  slowRequests: (input: { readonly path: string }) => Promise<readonly SlowRequests[]>;
  /** Writes the requests of prompts into the folder. */
  promptStore: (input: PromptSource & { readonly dir: string }) => Promise<InputData>;
  /** Tokens of each text, by the tokenizer at `path`. */
  tokenCount: (input: Parameters<typeof countTokens>[0]) => Promise<readonly number[]>;
  inputCheck: (input: InputFile) => Promise<void>;
  /** Writes the tensors into the folder. */
  inputStore: (input: InputFile & { readonly dir: string }) => Promise<StoredInput>;
}

/** The served model's tensors without the batch dimension, which each of them has. */
export function runTensors({ inputs, outputs }: Signature): WantedTensors {
  return {
    inputs: wantedTensors(inputs, { batched: true }),
    outputs: wantedTensors(outputs, { batched: true }),
  };
}

/** SHA-256 of the file or folder. Throws input-invalid if it does not exist. */
export async function runInputHash(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw inputProblem(path, 'The file or folder does not exist');
  return found.isDirectory() ? hashFolder(path) : hashFile(path);
}
