import { datatypeBytes } from '../../contract/measured/input-data';
import { shortText, shortValue, someOf } from '../../platform/lines';
import { parseBoundedJson } from '../../platform/parse-json';
import { encodeValues } from '../../triton/encode-values';
import { fileForm, tensorForm } from './input-form';
import {
  elementCount,
  type InputEntry,
  inputProblem,
  mostEntries,
  type ReadInput,
  type SampleTensor,
  shapeProblem,
  sizeProblem,
  textCount,
  typeText,
  type WantedTensor,
  type WantedTensors,
} from './wanted-tensor';

/** numpy's limit. */
const mostAxes = 64;

type Member = Readonly<Record<string, unknown>>;

const isMember = (value: unknown): value is Member =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function gather(values: readonly unknown[], depth: number, into: unknown[]): void {
  if (depth > mostAxes) throw new Error(`its lists are nested more than ${mostAxes} deep`);
  for (const value of values) {
    if (Array.isArray(value)) gather(value, depth + 1, into);
    else into.push(value);
  }
}

/** Nested lists are accepted; perf_analyzer takes only flat ones. Throws an Error. */
function flatten(values: readonly unknown[]): readonly unknown[] {
  if (!values.some(Array.isArray)) return values;
  const flat: unknown[] = [];
  gather(values, 1, flat);
  return flat;
}

const blank = /\s/;

/** One pass: the text may have millions of blanks. */
function isBase64(text: string): boolean {
  let end = text.length;
  while (end > 0 && blank.test(text.charAt(end - 1))) end -= 1;
  const padded = end;
  while (padded - end < 2 && text.charAt(end - 1) === '=') end -= 1;
  return !/[^A-Za-z\d+/\s]/.test(text.slice(0, end));
}

/** The given shape, or the model's if it is fixed. */
function shapeOf(where: string, wanted: WantedTensor, given: unknown): readonly number[] {
  if (given === undefined) {
    const usual = wanted.sample ?? wanted.shape;
    if (usual.every((size) => size >= 0)) return usual;
    throw inputProblem(
      where,
      `${wanted.name} needs a shape: the model takes ${typeText(wanted.datatype, wanted.shape)}`,
      'Use {"content": [...], "shape": [...]}, or set the shape for all entries with --shape.',
    );
  }
  const shape: readonly unknown[] | null = Array.isArray(given) ? given : null;
  if (
    shape === null ||
    shape.length > mostAxes ||
    !shape.every((size): size is number => Number.isSafeInteger(size) && Number(size) >= 0)
  ) {
    throw inputProblem(
      where,
      `The shape of ${wanted.name} is not a list of whole numbers: ${shortValue(given)}`,
      tensorForm(wanted),
    );
  }
  const wrong = shapeProblem(wanted, shape);
  if (wrong === null) return shape;
  const withBatch = shapeProblem(wanted, shape.slice(1)) === null;
  throw inputProblem(
    where,
    wrong,
    withBatch
      ? `An entry is one sample: leave the batch dimension out, "shape": [${shape.slice(1).join(', ')}].`
      : tensorForm(wanted),
  );
}

/** Values or raw bytes, before the shape is known. */
type Content = { readonly values: readonly unknown[] } | { readonly data: Buffer };

function readContent(where: string, wanted: WantedTensor, content: unknown): Content {
  const { name } = wanted;
  if (content === undefined) {
    throw inputProblem(
      where,
      `${name} has neither "content" nor "b64"`,
      'Use a list of values, or {"b64": "..."}.',
    );
  }
  if (Array.isArray(content)) {
    try {
      return { values: flatten(content) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw inputProblem(where, `${name}: ${message}`, tensorForm(wanted));
    }
  }
  if (!isMember(content)) {
    throw inputProblem(
      where,
      `${name} is ${shortValue(content)} and not a list of values`,
      `Use a list, even for one value. ${tensorForm(wanted)}`,
    );
  }
  const text = content['b64'];
  if (typeof text !== 'string' || !isBase64(text))
    throw inputProblem(where, `"b64" of ${name} is not base64`, tensorForm(wanted));
  return { data: Buffer.from(text, 'base64') };
}

function contentCount(content: Content, { datatype }: WantedTensor): number {
  if ('values' in content) return content.values.length;
  if (datatype === 'BYTES') return textCount(content.data) ?? 0;
  return Math.floor(content.data.byteLength / datatypeBytes[datatype]);
}

function encode(where: string, wanted: WantedTensor, content: Content, shape: readonly number[]): Buffer {
  const { name, datatype } = wanted;
  if ('data' in content) {
    const wrong = sizeProblem(wanted, { shape, data: content.data });
    if (wrong !== null) throw inputProblem(where, wrong, tensorForm(wanted));
    return content.data;
  }
  const { values } = content;
  if (values.length !== elementCount(shape)) {
    throw inputProblem(
      where,
      `${name} has ${values.length} values where ${typeText(datatype, shape)} has ${elementCount(shape)}`,
      tensorForm(wanted),
    );
  }
  try {
    return encodeValues(datatype, values);
  } catch (error) {
    throw inputProblem(
      where,
      `${name} is ${datatype}: ${error instanceof Error ? error.message : String(error)}`,
      tensorForm(wanted),
    );
  }
}

/** @param isInput outputs are only compared, and may omit variable shapes */
function readTensor(where: string, wanted: WantedTensor, value: unknown, isInput: boolean): SampleTensor {
  const outer = isMember(value) ? value : { content: value };
  const content = readContent(where, wanted, outer['b64'] === undefined ? outer['content'] : outer);
  const varies = wanted.shape.some((size) => size < 0);
  const shape =
    !isInput && varies && outer['shape'] === undefined
      ? [contentCount(content, wanted)]
      : shapeOf(where, wanted, outer['shape']);
  return { shape, data: encode(where, wanted, content, shape) };
}

/** perf_analyzer accepts and ignores "model"; a replayed trace chooses entries by "class". */
const otherMembers: readonly string[] = ['model', 'class'];

function readEntry(
  where: string,
  wanted: readonly WantedTensor[],
  value: unknown,
  isInput: boolean,
): InputEntry {
  if (!isMember(value)) throw inputProblem(where, 'The entry is not an object', fileForm(wanted));
  const names = wanted.map((tensor) => tensor.name);
  const unknown = Object.keys(value).find((name) => !otherMembers.includes(name) && !names.includes(name));
  if (unknown !== undefined) {
    throw inputProblem(where, `The model has no tensor "${shortText(unknown)}"`, `It has: ${someOf(names)}.`);
  }
  const entry = new Map<string, SampleTensor>();
  for (const tensor of wanted) {
    const given = value[tensor.name];
    if (given !== undefined)
      entry.set(tensor.name, readTensor(`${where}, ${tensor.name}`, tensor, given, isInput));
    else if (isInput && tensor.optional !== true) {
      throw inputProblem(
        where,
        `${tensor.name} is missing: the model takes ${typeText(tensor.datatype, tensor.shape)}`,
        tensorForm(tensor),
      );
    }
  }
  return entry;
}

/** Entries or streams of entries, not both, as in perf_analyzer. */
function readStreams(
  where: string,
  wanted: readonly WantedTensor[],
  value: unknown,
  isInput: boolean,
): InputEntry[][] {
  const listed: readonly unknown[] | null = Array.isArray(value) ? value : null;
  if (listed === null || listed.length === 0) {
    throw inputProblem(where, 'It has no list of entries', fileForm(wanted));
  }
  const count = listed.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 1), 0);
  if (count > mostEntries)
    throw inputProblem(
      where,
      `It has ${count} entries, at most ${mostEntries} are read`,
      'Give fewer. After the last one, they are sent again from the first.',
    );
  const nested = listed.filter(Array.isArray).length;
  if (nested > 0 && nested < listed.length) {
    throw inputProblem(
      where,
      'Entries and streams of entries are mixed',
      'Put all entries into streams, or none.',
    );
  }
  if (nested === 0)
    return [listed.map((entry, step) => readEntry(`${where}[${step}]`, wanted, entry, isInput))];
  return listed.map((stream, index) => {
    const steps: readonly unknown[] = Array.isArray(stream) ? stream : [];
    if (steps.length === 0) {
      throw inputProblem(`${where}[${index}]`, 'The stream has no entry', 'Add one, or remove the stream.');
    }
    return steps.map((entry, step) => readEntry(`${where}[${index}][${step}]`, wanted, entry, isInput));
  });
}

/** The classes of the entries; a tensor of that name is none. */
function classesOf(data: unknown, inputs: readonly WantedTensor[]): Pick<ReadInput, 'classes'> {
  if (inputs.some(({ name }) => name === 'class')) return {};
  const entries: readonly unknown[] = Array.isArray(data) ? data.flat() : [];
  const classes = entries.map((entry) => {
    const name = isMember(entry) ? entry['class'] : undefined;
    return typeof name === 'string' ? name : '';
  });
  return classes.every((name) => name === '') ? {} : { classes };
}

function parseDocument(text: string, inputs: readonly WantedTensor[], file: string): Member {
  let parsed: unknown;
  try {
    parsed = parseBoundedJson(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw inputProblem(file, `Not a JSON file: ${message}`, fileForm(inputs));
  }
  if (!isMember(parsed) || parsed['data'] === undefined) {
    throw inputProblem(
      file,
      isMember(parsed) && Array.isArray(parsed['inputs'])
        ? 'It is the body of one request ("inputs"), and has no member "data"'
        : 'It has no member "data"',
      fileForm(inputs),
    );
  }
  return parsed;
}

/** The first tensor that only some entries have. */
function unevenTensor(streams: readonly (readonly InputEntry[])[]): string | null {
  const [first, ...others] = streams.flat();
  for (const other of others) {
    for (const name of [...(first?.keys() ?? []), ...other.keys()]) {
      if (first?.has(name) !== other.has(name)) return name;
    }
  }
  return null;
}

/**
 * Parses perf_analyzer's input JSON: entries or streams; tensors as list, base64, and with shape; expected outputs in
 * "validation_data". Throws input-invalid naming entry and tensor. Source: perf_analyzer's docs/input_data.md.
 */
export function parseInputJson(text: string, wanted: WantedTensors, file: string): ReadInput {
  const document = parseDocument(text, wanted.inputs, file);
  const streams = readStreams(`${file}: data`, wanted.inputs, document['data'], true);
  const uneven = unevenTensor(streams);
  if (uneven !== null)
    throw inputProblem(
      file,
      `The optional input ${uneven} is in some entries and not in others`,
      `Give ${uneven} in every entry or in none, and measure the others with a file of their own.`,
    );
  const classes = classesOf(document['data'], wanted.inputs);
  const validation = document['validation_data'];
  if (validation === undefined) return { streams, ...classes, expected: null };
  const expected = readStreams(`${file}: validation_data`, wanted.outputs, validation, false);
  const lengths = (all: readonly (readonly InputEntry[])[]) => all.map((stream) => stream.length).join(', ');
  if (lengths(expected) !== lengths(streams)) {
    throw inputProblem(
      `${file}: validation_data`,
      `It has ${lengths(expected)} entries where "data" has ${lengths(streams)}`,
      'Add one entry for each entry of "data", in the same streams.',
    );
  }
  const unevenOutput = unevenTensor(expected);
  if (unevenOutput !== null) {
    throw inputProblem(
      `${file}: validation_data`,
      `The output ${unevenOutput} is in some entries and not in others`,
      `Give ${unevenOutput} in every entry or in none.`,
    );
  }
  return { streams, ...classes, expected };
}
