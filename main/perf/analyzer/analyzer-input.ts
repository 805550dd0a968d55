import { copyFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { largestOf } from '../../contract/extremes';
import type { InputData } from '../../contract/input-data';
import { makeFolder } from '../../platform/make-folder';
import type { MeasureInput } from '../load-tool';
import { analyzerFiles } from './analyzer-files';

/** perf_analyzer holds its file of input data in memory more than once. */
const mostBytes = 256 * 1024 * 1024;

type SampleTensor = InputData['tensors'][number];

const isFileName = (name: string): boolean => !/[/\0]/.test(name) && !name.startsWith('.');

/** perf_analyzer's folder has one entry, of one shape, and reads texts as lines. */
function fitsFolder({ tensors }: InputData): boolean {
  return tensors.every(
    ({ name, datatype, files }) => files.length === 1 && datatype !== 'BYTES' && isFileName(name),
  );
}

async function writeFolder(input: MeasureInput, dir: string): Promise<void> {
  await makeFolder(dir);
  for (const { name, files } of input.inputData.tensors) {
    await copyFile(join(input.inputDataDir, files[0] ?? ''), join(dir, name));
  }
}

async function readSample(
  { name, shape, shapes, files }: SampleTensor,
  index: number,
  dir: string,
): Promise<{ readonly name: string; readonly shape: readonly number[]; readonly data: Buffer }> {
  const at = index % files.length;
  return { name, shape: shapes?.[at] ?? shape, data: await readFile(join(dir, files[at] ?? '')) };
}

/** Entries at which a stream begins: where sequences are sent, a stream each; else all entries are one, as it uses no other. */
function streamStarts({ inputData, settings }: MeasureInput): ReadonlySet<number> {
  let at = 0;
  const lengths = settings.sequences === undefined ? [] : (inputData.streams ?? []);
  return new Set(lengths.map((length) => (at += length) - length));
}

/** Entries in base64, in their streams. @returns how many entries were written of how many there are. */
async function writeJson(
  input: MeasureInput,
  path: string,
): Promise<{ readonly written: number; readonly count: number }> {
  const { inputDataDir } = input;
  const { tensors } = input.inputData;
  const starts = streamStarts(input);
  // A part of a stream would be another sequence.
  const mayEnd = (at: number) => starts.size === 0 || starts.has(at);
  const count = largestOf(tensors.map((tensor) => tensor.files.length));
  const file = await open(path, 'w');
  let written = 0;
  let bytes = 0;
  try {
    await file.write('{"data": [');
    while (written < count && (written === 0 || bytes < mostBytes || !mayEnd(written))) {
      const samples = await Promise.all(tensors.map((tensor) => readSample(tensor, written, inputDataDir)));
      const entry = samples.map(({ name, shape, data }) => {
        bytes += data.byteLength;
        // A scalar has no shape that could be given.
        const values = { b64: data.toString('base64') };
        return [name, shape.length === 0 ? values : { content: values, shape }] as const;
      });
      const before = starts.has(written) ? (written === 0 ? '[' : '],\n[') : written === 0 ? '' : ',';
      await file.write(`${before}\n${JSON.stringify(Object.fromEntries(entry))}`);
      written += 1;
    }
    await file.write(starts.size === 0 ? '\n]}\n' : '\n]]}\n');
  } finally {
    await file.close();
  }
  return { written, count };
}

/**
 * The input data in a form of perf_analyzer's: a folder with a raw file an input, or, of several entries, of texts and of names
 * that are no file names, its JSON. @returns what --input-data is given.
 */
export async function writeAnalyzerInput(input: MeasureInput): Promise<string> {
  const { inputDir, inputJson } = analyzerFiles(input.workDir);
  if (input.inputData.expected !== undefined)
    input.onLog(['perf_analyzer does not get the expected outputs, because it compares byte for byte.']);
  if (fitsFolder(input.inputData)) {
    await writeFolder(input, inputDir);
    return inputDir;
  }
  const { written, count } = await writeJson(input, inputJson);
  if (written < count)
    input.onLog([`perf_analyzer gets the first ${written} of ${count} entries: more would exceed 256 MiB.`]);
  return inputJson;
}
