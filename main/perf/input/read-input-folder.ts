import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeTexts } from './encode-values';
import type { InputEntry, ReadInput, SampleTensor, WantedTensor, WantedTensors } from './wanted-tensor';
import { inputProblem, mostInputBytes, sizeProblem, typeText } from './wanted-tensor';

/** Each line is one element, as perf_analyzer reads text files. */
function encodeLines(text: string): Buffer {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return encodeTexts(lines);
}

async function readTensor(path: string, wanted: WantedTensor): Promise<SampleTensor> {
  const { name, datatype } = wanted;
  const shape = wanted.sample ?? wanted.shape;
  if (shape.some((size) => size < 0)) {
    throw inputProblem(
      path,
      `${name} needs a shape: the model takes ${typeText(datatype, shape)}`,
      'A folder has none: give --shape, or a JSON or npz file.',
    );
  }
  const { size } = await stat(path);
  if (size > mostInputBytes) throw inputProblem(path, `${size} bytes, at most ${mostInputBytes} are read`);
  const raw = await readFile(path);
  const data = datatype === 'BYTES' ? encodeLines(raw.toString('utf8')) : raw;
  const wrong = sizeProblem(wanted, { shape, data });
  if (wrong !== null) throw inputProblem(path, wrong);
  return { shape, data };
}

/**
 * perf_analyzer's folder of input data: a file an input, named as the input, with the raw values of one entry; files named as
 * outputs are what it is to be answered with. Throws input-invalid that says which file and what the model takes.
 */
export async function readInputFolder(folder: string, wanted: WantedTensors): Promise<ReadInput> {
  const files = await readdir(folder);
  const known = [...wanted.inputs, ...wanted.outputs];
  const stranger = files.find((file) => !known.some((tensor) => tensor.name === file));
  if (stranger !== undefined) {
    throw inputProblem(
      join(folder, stranger),
      `The model has no tensor "${stranger}"`,
      `The files are named as its tensors: ${known.map((tensor) => tensor.name).join(', ')}.`,
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
