import {
  type GoldenFile,
  goldenFileSchema,
  type GoldenHeader,
  goldenKind,
  goldenSampleSchema,
  type GoldenTensor,
} from '../contract/golden';
import { isDatatype } from '../contract/measured/input-data';
import { present } from '../contract/trees';
import { shortSingle } from '../domain/outputs/decoded-tensor';
import { inputProblem, sizeProblem } from '../perf/input/wanted-tensor';
import { decodeTensor } from '../triton/decode-tensor';
import { encodeValues } from '../triton/encode-values';
import type { Tensor } from '../triton/tensor';
import type { Golden, GoldenSample } from './golden-samples';

/** Longer lists are written as raw bytes, which are shorter and read faster. */
const mostListed = 1024;

/** null: JSON has no exact form of them. */
function exactValues(tensor: Tensor): readonly unknown[] | null {
  const { values, datatype } = decodeTensor(tensor);
  if (values.length > mostListed) return null;
  if (datatype === 'BOOL') return Array.from(values as ArrayLike<number>, (value) => value !== 0);
  const list: readonly (number | string)[] = Array.from(values as ArrayLike<number | string>);
  const shown = list.map((value) =>
    typeof value === 'number' && datatype === 'FP32' ? shortSingle(value) : value,
  );
  const isListed = shown.every((value) => typeof value === 'string' || Number.isFinite(value));
  if (!isListed || !(isDatatype(datatype) || datatype === 'BYTES')) return null;
  try {
    return encodeValues(datatype, shown).equals(tensor.data) ? shown : null;
  } catch {
    // Integers beyond 2^53.
    return null;
  }
}

export function goldenTensor(tensor: Tensor): GoldenTensor {
  const { name, datatype, shape } = tensor;
  const form = { name, datatype, shape: [...shape] };
  const data = exactValues(tensor);
  return data === null
    ? { ...form, b64: Buffer.from(tensor.data).toString('base64') }
    : { ...form, data: [...data] };
}

/** A golden file as it is written. */
export function goldenJson(
  header: Omit<GoldenHeader, 'kind' | 'version'>,
  samples: readonly GoldenSample[],
): GoldenFile {
  return {
    ...{ kind: goldenKind, version: 1, ...header },
    samples: samples.map(({ id, inputs, outputs }) => ({
      id,
      inputs: inputs.map(goldenTensor),
      outputs: outputs.map(goldenTensor),
    })),
  };
}

/** A line per sample: a difference of two files is read sample by sample. */
export function goldenText({ samples, ...header }: GoldenFile): string {
  const head = JSON.stringify(header, null, 1).replace(/\n\}$/, '');
  const lines = samples.map((sample) => `  ${JSON.stringify(sample)}`);
  return `${head},\n "samples": [\n${lines.join(',\n')}\n ]\n}\n`;
}

const form =
  'Write {"samples": [{"inputs": [{"name": "IN", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}], "outputs": [...]}]}, as "golden record" does.';

/** Nested lists, as Triton takes them too. */
const flat = (values: readonly unknown[]): readonly unknown[] =>
  values.some(Array.isArray) ? values.flat(Infinity) : values;

function readTensor(where: string, tensor: GoldenTensor): Tensor {
  const { name, datatype, shape, data, b64 } = tensor;
  const place = `${where}, ${name}`;
  if (!isDatatype(datatype) && datatype !== 'BYTES') {
    throw inputProblem(place, `"${datatype}" is not a type of Triton`, 'Types are FP32, INT64, BYTES, …');
  }
  if ((data === undefined) === (b64 === undefined)) {
    throw inputProblem(place, `${name} needs either "data" or "b64"`, form);
  }
  const bytes = () => {
    if (data === undefined) return Buffer.from(b64 ?? '', 'base64');
    try {
      return encodeValues(datatype, flat(data));
    } catch (error) {
      throw inputProblem(
        place,
        `${name} is ${datatype}: ${error instanceof Error ? error.message : String(error)}`,
        form,
      );
    }
  };
  const read = { shape, data: bytes() };
  const wrong = sizeProblem({ name, datatype }, read);
  if (wrong !== null) throw inputProblem(place, wrong, form);
  return { name, datatype, ...read };
}

/**
 * A golden file, or one request with its answer, `{"inputs": […], "outputs": […]}`. Throws input-invalid.
 * @param document parsed, of a file that has no member "data" of perf_analyzer
 */
export function readGoldenJson(path: string, document: unknown): Golden {
  const isOurs = typeof document === 'object' && document !== null && 'kind' in document;
  const listed: unknown =
    typeof document === 'object' && document !== null && 'samples' in document
      ? document
      : { samples: [document] };
  const schema = isOurs ? goldenFileSchema : goldenFileSchema.pick({ samples: true });
  const parsed = schema.safeParse(listed);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw inputProblem(
      path,
      `${where === '' ? '' : `${where}: `}${issue?.message ?? 'not a golden file'}`,
      form,
    );
  }
  const { samples, ...header } = parsed.data;
  return {
    header: isOurs ? (header as GoldenHeader) : null,
    samples: samples.map((sample, index) => {
      const { id = String(index), inputs, outputs, notCompared, truth } = goldenSampleSchema.parse(sample);
      const where = `${path}: sample ${id}`;
      const read = (tensors: readonly GoldenTensor[]) => tensors.map((tensor) => readTensor(where, tensor));
      return {
        ...{ id, inputs: read(inputs), outputs: read(outputs) },
        ...(notCompared === undefined ? {} : { notCompared: read(notCompared) }),
        ...present({ truth }),
      };
    }),
  };
}
