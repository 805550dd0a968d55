import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputData } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';
import { makeFolder } from '../../platform/files';
import { shortText, someOf } from '../../platform/lines';
import { readBoundedBytes } from '../../platform/plain-entry';
import { parseInputJson } from './parse-input-json';
import { readNpz } from './read-npz';
import {
  elementCount,
  type InputEntry,
  inputProblem,
  mostInputBytes,
  type ReadInput,
  type SampleTensor,
  sizeProblem,
  typeText,
  type WantedTensor,
  type WantedTensors,
} from './wanted-tensor';

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
  if ('problem' in found) throw inputProblem(path, `The file is not read: ${found.problem}`);
  const data = datatype === 'BYTES' ? textsOf(path, wanted, shape, found.bytes) : found.bytes;
  const wrong = sizeProblem(wanted, { shape, data });
  if (wrong !== null) throw inputProblem(path, wrong);
  return { shape, data };
}

/**
 * perf_analyzer's folder: a raw file per input with one entry; files named like outputs are expected values. Throws
 * input-invalid naming file and expected form.
 */
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
 * Reads a raw folder, an npz file, or perf_analyzer's JSON.
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
    ...(expected.length === 0 ? {} : { expected }),
  };
}
