import { shortText, someOf } from '../../platform/lines';
import { FileWindow, readZipDirectory, readZipEntry, type ZipEntry } from '../../platform/zip-directory';
import { type NpyArray, parseNpy, rawElements } from './parse-npy';
import {
  elementCount,
  type InputEntry,
  inputProblem,
  mostEntries,
  mostInputBytes,
  type ReadInput,
  type SampleTensor,
  shapeProblem,
  typeText,
  type WantedTensor,
  type WantedTensors,
} from './wanted-tensor';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Throws before unpacking for unknown or repeated entries, or if the total is too large. */
function checkedEntries(path: string, file: FileWindow, names: readonly string[]): [string, ZipEntry][] {
  const found = new Map<string, ZipEntry>();
  let bytes = 0;
  for (const entry of readZipDirectory(file)) {
    const name = entry.name.replace(/\.npy$/, '');
    const where = `${path}: ${shortText(name)}`;
    if (!names.includes(name)) {
      throw inputProblem(where, `The model has no tensor "${shortText(name)}"`, `It has: ${someOf(names)}.`);
    }
    if (found.has(name)) throw inputProblem(where, `The archive has "${name}" twice`, 'Keep one of the two.');
    found.set(name, entry);
    bytes += entry.bytes;
  }
  if (bytes > mostInputBytes) throw new Error(`${bytes} bytes, at most ${mostInputBytes} are read`);
  return [...found];
}

/** Arrays by name, restricted to `names`. */
function readArrays(
  path: string,
  names: readonly string[],
): Map<string, { readonly where: string; readonly array: NpyArray }> {
  const arrays = new Map<string, { where: string; array: NpyArray }>();
  let file: FileWindow | null = null;
  try {
    file = new FileWindow(path);
    for (const [name, entry] of checkedEntries(path, file, names)) {
      const where = `${path}: ${name}`;
      try {
        arrays.set(name, { where, array: parseNpy(readZipEntry(file, entry, mostInputBytes)) });
      } catch (error) {
        throw inputProblem(where, messageOf(error));
      }
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkbenchError') throw error;
    throw inputProblem(path, `It cannot be read as an npz file: ${messageOf(error)}`);
  } finally {
    file?.close();
  }
  return arrays;
}

/** Samples along the first axis, or the array itself if it has the tensor's number of axes. */
function samplesOf(where: string, wanted: WantedTensor, array: NpyArray): SampleTensor[] {
  const { name, datatype } = wanted;
  if (array.datatype !== datatype) {
    throw inputProblem(
      where,
      `${name} is of type ${shortText(array.descr)}${array.datatype === null ? '' : ` (${array.datatype})`} where the model takes ${typeText(datatype, wanted.shape)}`,
      'Convert it before it is saved, for example with .astype("float32").',
    );
  }
  const many = array.shape.length === wanted.shape.length + 1;
  const shape = many ? array.shape.slice(1) : array.shape;
  const wrong = shapeProblem(wanted, shape);
  if (wrong !== null) {
    const whole = `the array has the shape [${array.shape.join(', ')}]`;
    throw inputProblem(where, `${wrong}; ${whole}`, 'The first axis counts the entries.');
  }
  const count = many ? (array.shape[0] ?? 0) : 1;
  if (count === 0) throw inputProblem(where, `${name} has no entry`);
  if (count > mostEntries)
    throw inputProblem(where, `${name} has ${count} entries, at most ${mostEntries} are read`);
  const elements = elementCount(shape);
  return Array.from({ length: count }, (_unused, entry) => ({
    shape,
    data: rawElements(array, entry * elements, elements),
  }));
}

/** null if the archive has none of the tensors. */
function entriesOf(
  path: string,
  wanted: readonly WantedTensor[],
  arrays: ReturnType<typeof readArrays>,
): InputEntry[] | null {
  let count: { readonly name: string; readonly value: number } | null = null;
  const samples = new Map<string, SampleTensor[]>();
  for (const tensor of wanted) {
    const found = arrays.get(tensor.name);
    if (found === undefined) continue;
    const list = samplesOf(found.where, tensor, found.array);
    count ??= { name: tensor.name, value: list.length };
    if (list.length !== count.value) {
      throw inputProblem(
        path,
        `${tensor.name} has ${list.length} entries where ${count.name} has ${count.value}`,
      );
    }
    samples.set(tensor.name, list);
  }
  if (count === null) return null;
  return Array.from({ length: count.value }, (_unused, index) => {
    const entry = new Map<string, SampleTensor>();
    for (const [name, list] of samples) {
      const sample = list[index];
      if (sample !== undefined) entry.set(name, sample);
    }
    return entry;
  });
}

/**
 * An archive of numpy.savez: an array per input, its first axis counting entries; arrays named like outputs are
 * expected values. Nothing in it is executed. Throws input-invalid naming the array.
 */
export function readNpz(path: string, wanted: WantedTensors): ReadInput {
  const arrays = readArrays(
    path,
    [...wanted.inputs, ...wanted.outputs].map((tensor) => tensor.name),
  );
  for (const tensor of wanted.inputs) {
    if (tensor.optional !== true && !arrays.has(tensor.name)) {
      throw inputProblem(
        path,
        `It has no array "${tensor.name}": the model takes ${typeText(tensor.datatype, tensor.shape)}`,
      );
    }
  }
  const entries = entriesOf(path, wanted.inputs, arrays);
  if (entries === null) throw inputProblem(path, 'It has no array of an input');
  const inputs = new Set(wanted.inputs.map((tensor) => tensor.name));
  // A name that is both is the input.
  const outputs = wanted.outputs.filter((tensor) => !inputs.has(tensor.name));
  const expected = entriesOf(path, outputs, arrays);
  if (expected !== null && expected.length !== entries.length) {
    throw inputProblem(
      path,
      `Its outputs have ${expected.length} entries where its inputs have ${entries.length}`,
    );
  }
  return { streams: [entries], expected: expected === null ? null : [expected] };
}
