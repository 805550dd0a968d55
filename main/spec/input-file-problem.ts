import { stat } from 'node:fs/promises';
import type { Signature } from '../contract/artefacts';
import { toWire } from '../contract/errors';
import type { RunSpec } from '../contract/run-spec';
import type { SpecProblem } from '../contract/spec-tools';
import type { InputReaders } from '../perf/input/input-readers';
import { runTensors } from '../perf/input/run-input';

/** The wizard looks again at every change: a larger file is read when the run begins. */
const mostBytes = 16 * 1024 * 1024;

/**
 * What is wrong with the file of input data that a specification names: entry, tensor, what the model takes.
 * @param mayRead false: it is looked at when the run begins
 */
export async function inputFileProblem(
  { performance }: RunSpec,
  signature: () => Signature,
  {
    mayRead,
    readers,
  }: { readonly mayRead: (path: string) => Promise<boolean>; readonly readers: InputReaders },
): Promise<SpecProblem | null> {
  const { inputData, inputDataFile: path } = performance;
  if (inputData !== 'file' || path === undefined) return null;
  const problem = (message: string, remedy: string | null): SpecProblem => ({
    field: 'performance.inputDataFile',
    severity: 'problem',
    message,
    remedy,
  });
  const found = await stat(path).catch(() => null);
  if (found === null) return problem(`${path} does not exist`, 'Choose an existing file or folder.');
  if (found.size > mostBytes || !(await mayRead(path))) return null;
  try {
    await readers.inputCheck({ path, wanted: runTensors(signature()), shapes: {} });
    return null;
  } catch (error) {
    const { code, message, where, remedy } = toWire(error);
    // What is wrong with the signature stands at its own fields.
    return code === 'input-invalid'
      ? problem(where === undefined ? message : `${where}: ${message}`, remedy ?? null)
      : null;
  }
}
