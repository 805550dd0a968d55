import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { goldenHeaderEntry } from '../../contract/golden';
import type { InputData } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';
import { makeFolder } from '../../platform/files';
import { shortText, someOf } from '../../platform/lines';
import { readBoundedBytes } from '../../platform/plain-entry';
import { FileWindow, readZipDirectory, readZipEntry, type ZipEntry } from '../../platform/zip-directory';
import { parseInputJson } from './parse-input-json';
import { type NpyArray, parseNpy, rawElements } from './parse-npy';
import { readFileSamples, readTexts } from './read-texts';
import {
  elementCount,
  type InputEntry,
  inputProblem,
  mostEntries,
  mostInputBytes,
  type ReadInput,
  type SampleTensor,
  shapeProblem,
  sizeProblem,
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
    // Of a golden file: what is said beside the arrays.
    if (entry.name === goldenHeaderEntry) continue;
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
function readNpz(path: string, wanted: WantedTensors): ReadInput {
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

const { texts: mostTexts } = fileLimits.inputData;
const newline = 0x0a;

/** Counts lines up to `most` + 1. */
function countLines(raw: Buffer, most: number): number {
  let count = 0;
  for (let at = raw.indexOf(newline); at >= 0 && count <= most; at = raw.indexOf(newline, at + 1)) count += 1;
  return raw.length > 0 && raw[raw.length - 1] !== newline ? count + 1 : count;
}

/** One element per line, as in perf_analyzer's text files. */
function encodeLines(raw: Buffer, lines: number): Buffer {
  const ended = raw.length > 0 && raw[raw.length - 1] !== newline ? lines - 1 : lines;
  const buffer = Buffer.alloc(raw.length - ended + 4 * lines);
  let to = 0;
  for (let at = 0; at < raw.length;) {
    const found = raw.indexOf(newline, at);
    const end = found < 0 ? raw.length : found;
    buffer.writeUInt32LE(end - at, to);
    raw.copy(buffer, to + 4, at, end);
    to += 4 + end - at;
    at = end + 1;
  }
  return buffer;
}

/** Throws input-invalid if the number of lines differs from the shape's, or is too large. */
function textsOf(path: string, wanted: WantedTensor, shape: readonly number[], raw: Buffer): Buffer {
  const lines = countLines(raw, mostTexts);
  if (lines > mostTexts)
    throw inputProblem(path, `It has more than ${mostTexts} lines, at most so many are read`);
  const count = elementCount(shape);
  if (lines === count) return encodeLines(raw, lines);
  throw inputProblem(
    path,
    `${wanted.name} has ${lines} elements where ${typeText(wanted.datatype, shape)} has ${count}`,
    'Each line of the file is one element.',
  );
}

async function readTensor(path: string, wanted: WantedTensor): Promise<SampleTensor> {
  const { name, datatype } = wanted;
  const shape = wanted.sample ?? wanted.shape;
  if (shape.some((size) => size < 0)) {
    throw inputProblem(
      path,
      `${name} needs a shape: the model takes ${typeText(datatype, shape)}`,
      'A folder contains no shapes. Set --shape, or use a JSON or npz file.',
    );
  }
  const found = await readBoundedBytes(path, mostInputBytes, { links: 'follow' });
  if ('problem' in found) throw inputProblem(path, `The file cannot be read: ${found.problem}`);
  const data = datatype === 'BYTES' ? textsOf(path, wanted, shape, found.bytes) : found.bytes;
  const wrong = sizeProblem(wanted, { shape, data });
  if (wrong !== null) throw inputProblem(path, wrong);
  return { shape, data };
}

/** perf_analyzer's folder: a raw file per tensor, of one entry; outputs are expected values. Throws input-invalid. */
async function readInputFolder(folder: string, wanted: WantedTensors): Promise<ReadInput> {
  const files = await readdir(folder);
  const known = [...wanted.inputs, ...wanted.outputs];
  const stranger = files.find((file) => !known.some((tensor) => tensor.name === file));
  if (stranger !== undefined) {
    throw inputProblem(
      join(folder, stranger),
      `The model has no tensor "${shortText(stranger)}"`,
      `Name the files after its tensors: ${someOf(known.map((tensor) => tensor.name))}.`,
    );
  }
  const readAll = async (tensors: readonly WantedTensor[]): Promise<InputEntry> => {
    const entry = new Map<string, SampleTensor>();
    for (const tensor of tensors) {
      if (files.includes(tensor.name))
        entry.set(tensor.name, await readTensor(join(folder, tensor.name), tensor));
    }
    return entry;
  };
  const entry = await readAll(wanted.inputs);
  for (const tensor of wanted.inputs) {
    if (tensor.optional !== true && !entry.has(tensor.name)) {
      throw inputProblem(
        join(folder, tensor.name),
        `The file is missing: the model takes ${typeText(tensor.datatype, tensor.shape)}`,
      );
    }
  }
  const inputs = new Set(wanted.inputs.map((tensor) => tensor.name));
  const outputs = await readAll(wanted.outputs.filter((tensor) => !inputs.has(tensor.name)));
  return { streams: [[entry]], expected: outputs.size === 0 ? null : [[outputs]] };
}

/** Parsed numbers take several times the text's memory. */
const mostJsonBytes = fileLimits.inputJson.bytes;

/** Detects ZIP, and so npz, by its magic number. */
export async function isArchive(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === 'PK';
  } finally {
    await file.close();
  }
}

/**
 * Reads a folder (raw tensors, or a file per sample), an npz file, perf_analyzer's JSON, lines, or a CSV table.
 * @param shapes by input name without batch, for variable shapes that the file lacks
 * Throws input-invalid naming file, entry and tensor.
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
      code === 'ENOENT' ? 'The file or folder does not exist' : `It cannot be read (${code})`,
    );
  });
  const defaults: WantedTensors = {
    ...wanted,
    inputs: wanted.inputs.map((input) => ({ ...input, sample: shapes[input.name] })),
  };
  if (found.isDirectory()) return (await readFileSamples(path, defaults)) ?? readInputFolder(path, defaults);
  if (!found.isFile()) throw inputProblem(path, 'It is neither a file nor a folder');
  if (await isArchive(path)) return readNpz(path, wanted);
  const texts = await readTexts(path, defaults);
  if (texts !== null) return texts;
  if (found.size > mostJsonBytes) {
    throw inputProblem(
      path,
      `${found.size} bytes of JSON, at most ${mostJsonBytes} are read`,
      'Use an npz file instead.',
    );
  }
  return parseInputJson(await readFile(path, 'utf8'), defaults, path);
}

type Tensors = InputData['tensors'];

async function storeTensors(
  dir: string,
  prefix: string,
  wanted: readonly WantedTensor[],
  entries: readonly InputEntry[],
): Promise<Tensors> {
  const made: Tensors = [];
  for (const [position, { name, datatype }] of wanted.entries()) {
    const samples = entries.flatMap((entry) => entry.get(name) ?? []);
    const [first] = samples;
    if (first === undefined) continue;
    const files: string[] = [];
    for (const [index, { data }] of samples.entries()) {
      files.push(`${prefix}${position}-${String(index).padStart(6, '0')}.bin`);
      await writeFile(join(dir, files.at(-1) ?? ''), data);
    }
    const shapes = samples.map((sample) => [...sample.shape]);
    const same = shapes.every((shape) => shape.join() === first.shape.join());
    made.push({ name, datatype, shape: [...first.shape], ...(same ? {} : { shapes }), files });
  }
  return made;
}

/** Writes a raw file per tensor and entry. Throws input-invalid if the total is too large. */
export async function storeInput(
  input: ReadInput,
  wanted: { readonly inputs: readonly WantedTensor[]; readonly outputs: readonly WantedTensor[] },
  dir: string,
): Promise<InputData> {
  const entries = input.streams.flat();
  let bytes = 0;
  for (const entry of [...entries, ...(input.expected?.flat() ?? [])]) {
    for (const { data } of entry.values()) bytes += data.byteLength;
  }
  if (bytes > mostInputBytes) {
    throw inputProblem(
      'performance.inputData',
      `All entries together have ${bytes} bytes, at most ${mostInputBytes} are sent`,
    );
  }
  await makeFolder(dir);
  const tensors = await storeTensors(dir, 'in-', wanted.inputs, entries);
  if (tensors.length === 0) throw inputProblem('performance.inputData', 'No input has a value');
  const expected =
    input.expected === null ? [] : await storeTensors(dir, 'out-', wanted.outputs, input.expected.flat());
  return {
    source: 'file',
    tensors,
    ...(input.streams.length > 1 ? { streams: input.streams.map((stream) => stream.length) } : {}),
    ...(input.classes === undefined ? {} : { classes: [...input.classes] }),
    ...(expected.length === 0 ? {} : { expected }),
  };
}
