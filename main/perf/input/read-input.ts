import { open, readFile, stat } from 'node:fs/promises';
import { fileLimits } from '../../contract/reader-limits';
import { parseInputJson } from './parse-input-json';
import { readInputFolder } from './read-input-folder';
import { readNpz } from './read-npz';
import type { ReadInput, WantedTensors } from './wanted-tensor';
import { inputProblem } from './wanted-tensor';

/** Text of numbers takes several times the memory of the numbers. */
const mostJsonBytes = fileLimits.inputJson.bytes;

/** Whether the file begins as a ZIP archive does, which an npz file is. */
async function isArchive(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === 'PK';
  } finally {
    await file.close();
  }
}

/**
 * The user's input data, by what the path leads to: a folder with raw files, an npz file, or perf_analyzer's JSON.
 * @param shapes dimensions by input name, without the batch, where the file gives none and the model's vary.
 * Throws input-invalid that says which file, which entry, which tensor, and what the model takes.
 */
export async function readInput(
  path: string,
  wanted: WantedTensors,
  shapes: Readonly<Record<string, readonly number[]>> = {},
): Promise<ReadInput> {
  const found = await stat(path).catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    throw inputProblem(
      path,
      code === 'ENOENT' ? 'There is no such file or folder' : `It cannot be read (${code})`,
    );
  });
  const defaults: WantedTensors = {
    ...wanted,
    inputs: wanted.inputs.map((input) => ({ ...input, sample: shapes[input.name] })),
  };
  if (found.isDirectory()) return readInputFolder(path, defaults);
  if (!found.isFile()) throw inputProblem(path, 'It is neither a file nor a folder');
  if (await isArchive(path)) return readNpz(path, wanted);
  if (found.size > mostJsonBytes) {
    throw inputProblem(
      path,
      `${found.size} bytes of JSON, at most ${mostJsonBytes} are read`,
      'Use an npz file instead.',
    );
  }
  return parseInputJson(await readFile(path, 'utf8'), defaults, path);
}
