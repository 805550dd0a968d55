import { stat } from 'node:fs/promises';
import { fileLimits } from '../contract/reader-limits';
import { isArchive, readInput } from '../perf/input/read-input';
import { type InputEntry, inputProblem, type WantedTensor } from '../perf/input/wanted-tensor';
import { parseBoundedJson } from '../platform/parse-json';
import { readBoundedFile } from '../platform/plain-entry';
import type { Tensor } from '../triton/tensor';
import { readGoldenJson } from './golden-json';
import { readNpzHeader } from './golden-npz';
import type { Golden, GoldenRequest, GoldenSample } from './golden-samples';

const goldenForms =
  'A golden file has the JSON that "triton-workbench golden record" writes, an archive of numpy.savez with inputs and outputs, or perf_analyzer’s JSON with validation_data.';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function tensorsOf(
  entry: InputEntry | undefined,
  wanted: readonly WantedTensor[],
  batched: boolean,
): Tensor[] {
  return wanted.flatMap(({ name, datatype }) => {
    const found = entry?.get(name);
    if (found === undefined) return [];
    return [{ name, datatype, shape: batched ? [1, ...found.shape] : found.shape, data: found.data }];
  });
}

/** An npz archive, and perf_analyzer's JSON with `validation_data`: inputs and expected outputs of single samples. */
async function readSamples({ path, wanted, batched }: GoldenRequest): Promise<readonly GoldenSample[]> {
  const { streams, expected } = await readInput(path, wanted);
  if (expected === null) {
    throw inputProblem(
      path,
      'It has inputs but no outputs',
      'Add arrays with the names of the outputs, or make a golden file: triton-workbench golden record --input-data FILE.',
    );
  }
  const outputs = expected.flat();
  return streams.flat().map((entry, index) => ({
    id: String(index),
    inputs: tensorsOf(entry, wanted.inputs, batched),
    outputs: tensorsOf(outputs[index], wanted.outputs, batched),
  }));
}

/** Of an archive; throws input-invalid. */
function headerOf(path: string): Golden['header'] {
  try {
    return readNpzHeader(path);
  } catch (error) {
    throw inputProblem(path, `It cannot be read as an npz file: ${messageOf(error)}`, goldenForms);
  }
}

async function readJson(path: string): Promise<unknown> {
  const read = await readBoundedFile(path, fileLimits.golden.bytes, { links: 'follow' });
  if ('problem' in read) throw inputProblem(path, `The file cannot be read: ${read.problem}`, goldenForms);
  try {
    return parseBoundedJson(read.text);
  } catch (error) {
    throw inputProblem(path, `It is neither JSON nor an npz file: ${messageOf(error)}`, goldenForms);
  }
}

const isOfAnalyzer = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'data' in document && !('samples' in document);

/** Throws input-invalid. */
async function isNpz(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  const recorded = 'Check the path, or record one: triton-workbench golden record --from URL --output FILE.';
  if (found === null) throw inputProblem(path, 'The file does not exist', recorded);
  if (!found.isFile()) throw inputProblem(path, 'It is not a file', goldenForms);
  return isArchive(path);
}

/** The model that a golden file names; null for a file of another tool. Throws input-invalid. */
export async function goldenModel(path: string): Promise<string | null> {
  if (await isNpz(path)) return headerOf(path)?.model ?? null;
  const document = await readJson(path);
  const isOurs = typeof document === 'object' && document !== null && 'kind' in document;
  return isOurs ? (readGoldenJson(path, document).header?.model ?? null) : null;
}

async function readAny(request: GoldenRequest): Promise<Golden> {
  const { path } = request;
  if (await isNpz(path)) {
    return { header: headerOf(path), samples: await readSamples(request) };
  }
  const document = await readJson(path);
  return isOfAnalyzer(document)
    ? { header: null, samples: await readSamples(request) }
    : readGoldenJson(path, document);
}

/** Inputs with the outputs that are expected. Nothing in the file is executed. Throws input-invalid. */
export async function readGolden(request: GoldenRequest): Promise<Golden> {
  const golden = await readAny(request);
  const { samples } = golden;
  const { path } = request;
  if (!samples.some(({ outputs }) => outputs.length > 0)) {
    throw inputProblem(path, 'It has no outputs, so nothing can be compared');
  }
  let bytes = 0;
  for (const { inputs, outputs, notCompared = [] } of samples) {
    for (const { data } of [...inputs, ...outputs, ...notCompared]) bytes += data.byteLength;
  }
  const { contentBytes } = fileLimits.golden;
  if (bytes > contentBytes) {
    throw inputProblem(
      path,
      `Its samples have ${bytes} bytes, at most ${contentBytes} are read`,
      'Keep fewer samples.',
    );
  }
  return golden;
}
