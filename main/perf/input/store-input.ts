import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputData } from '../../contract/measured/input-data';
import { makeFolder } from '../../platform/make-folder';
import type { InputEntry, ReadInput, WantedTensor } from './wanted-tensor';
import { inputProblem, mostInputBytes } from './wanted-tensor';

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

/** Writes the entries as the load tools take them: a raw file a tensor and entry. Throws input-invalid where all of it is too large. */
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
      '--input-data',
      `All entries together have ${bytes} bytes, at most ${mostInputBytes} are sent`,
    );
  }
  await makeFolder(dir);
  const tensors = await storeTensors(dir, 'in-', wanted.inputs, entries);
  if (tensors.length === 0) throw inputProblem('--input-data', 'There is no value of any input');
  const expected =
    input.expected === null ? [] : await storeTensors(dir, 'out-', wanted.outputs, input.expected.flat());
  return {
    source: 'file',
    tensors,
    ...(input.streams.length > 1 ? { streams: input.streams.map((stream) => stream.length) } : {}),
    ...(expected.length === 0 ? {} : { expected }),
  };
}
