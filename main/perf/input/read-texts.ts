import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileLimits } from '../../contract/reader-limits';
import { shortText, someOf } from '../../platform/lines';
import { parseBoundedJson } from '../../platform/parse-json';
import { readBoundedBytes } from '../../platform/plain-entry';
import { encodeTexts, encodeValues } from '../../triton/encode-values';
import {
  elementCount,
  type InputEntry,
  inputProblem,
  mostEntries,
  mostInputBytes,
  type ReadInput,
  type SampleTensor,
  typeText,
  type WantedTensor,
  type WantedTensors,
} from './wanted-tensor';

/** With one element per sample; null: this tensor has more. */
function singleShape({ shape, sample = shape }: WantedTensor): readonly number[] | null {
  const single = sample.map((size) => (size < 0 ? 1 : size));
  return elementCount(single) === 1 ? single : null;
}

/** The only input that a sample needs, if that is one text or the bytes of one file. */
function onlyText({
  inputs,
}: WantedTensors): { readonly name: string; readonly shape: readonly number[] } | null {
  const needed = inputs.filter(({ optional }) => optional !== true);
  const [input] = needed.length === 0 ? inputs : needed;
  if (input === undefined || needed.length > 1 || input.datatype !== 'BYTES') return null;
  const shape = singleShape(input);
  return shape === null ? null : { name: input.name, shape };
}

const ofOne = ({ inputs }: WantedTensors): string =>
  `The model takes ${someOf(inputs.map(({ name, datatype, shape }) => `${name}, ${typeText(datatype, shape)}`))}`;

function requireCount(path: string, count: number, what: string): void {
  if (count === 0) throw inputProblem(path, `It has no ${what}`);
  if (count > mostEntries) {
    throw inputProblem(
      path,
      `It has ${count} ${what}, at most ${mostEntries} are read`,
      'Give fewer. After the last one, they are sent again from the first.',
    );
  }
}

async function readText(path: string): Promise<string> {
  const { bytes: most } = fileLimits.inputJson;
  const found = await readBoundedBytes(path, most, { links: 'follow' });
  if ('problem' in found) throw inputProblem(path, `The file cannot be read: ${found.problem}`);
  return found.bytes.toString('utf8').replace(/^\uFEFF/, '');
}

/** perf_analyzer's JSON, whatever the file is called. */
function isDocument(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    const parsed = parseBoundedJson(text);
    return typeof parsed === 'object' && parsed !== null && 'data' in parsed;
  } catch {
    return false;
  }
}

/** Each line is one sample; an empty one an empty text. null: it is a JSON document. */
async function readLines(path: string, wanted: WantedTensors): Promise<ReadInput | null> {
  const text = await readText(path);
  if (isDocument(text)) return null;
  const input = onlyText(wanted);
  if (input === null) {
    throw inputProblem(
      path,
      `A file of lines has values for one text per sample. ${ofOne(wanted)}`,
      'Use a CSV file with a column per input, or a JSON file.',
    );
  }
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  requireCount(path, lines.length, 'lines');
  const entry = (line: string): InputEntry =>
    new Map([[input.name, { shape: input.shape, data: encodeTexts([line]) }]]);
  return { streams: [lines.map(entry)], expected: null };
}

/** Fields of RFC 4180: quoted ones may have separators, line ends and doubled quotes. Spaces belong to the field. */
function* csvRows(text: string, separator: string): Generator<readonly string[]> {
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'y');
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    field.lastIndex = at;
    const [whole, quoted, plain = '', end = ''] = field.exec(text) ?? [];
    if (whole === undefined) throw new Error(`a quote in the middle of a field at character ${at}`);
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    at += whole.length;
    if (end === separator && at < text.length) continue;
    if (end === separator) row.push('');
    yield row;
    row = [];
  }
}

const truths: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };

function cellTensor(
  where: string,
  tensor: WantedTensor,
  shape: readonly number[],
  cell: string,
): SampleTensor {
  const { datatype, name } = tensor;
  if (datatype === 'BYTES') return { shape, data: encodeTexts([cell]) };
  const value = datatype === 'BOOL' ? truths[cell.trim().toLowerCase()] : Number(cell.trim() || NaN);
  try {
    if (typeof value === 'number' && Number.isNaN(value))
      throw new Error(`"${shortText(cell)}" is not a number`);
    return { shape, data: encodeValues(datatype, [value]) };
  } catch (error) {
    throw inputProblem(
      where,
      `${name} is ${datatype}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Columns are called as the tensors; others are not read. A column of an output has its expected values. */
async function readTable(path: string, wanted: WantedTensors, separator: string): Promise<ReadInput> {
  const rows: (readonly string[])[] = [];
  try {
    for (const row of csvRows(await readText(path), separator)) rows.push(row);
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkbenchError') throw error;
    throw inputProblem(
      path,
      `It cannot be read as a table: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const [header = [], ...body] = rows;
  const lacking = wanted.inputs.find(({ name, optional }) => optional !== true && !header.includes(name));
  if (lacking !== undefined) {
    throw inputProblem(
      path,
      `It has no column "${lacking.name}"`,
      `Name the columns after the inputs. It has the columns: ${someOf(header)}.`,
    );
  }
  requireCount(path, body.length, 'rows below the header');
  const entriesOf = (tensors: readonly WantedTensor[]): InputEntry[] => {
    const columns = tensors
      .filter(({ name }) => header.includes(name))
      .map((tensor) => {
        const shape = singleShape(tensor);
        if (shape !== null) return { tensor, shape, at: header.indexOf(tensor.name) };
        const type = typeText(tensor.datatype, tensor.shape);
        throw inputProblem(
          path,
          `A cell has one value, and ${tensor.name} is ${type}`,
          'Use a JSON or an npz file.',
        );
      });
    return body.map((cells, row) => {
      const where = `${path}: row ${row + 2}`;
      if (cells.length !== header.length) {
        throw inputProblem(where, `It has ${cells.length} fields where the header has ${header.length}`);
      }
      return new Map(
        columns.map(({ tensor, shape, at }) => [
          tensor.name,
          cellTensor(where, tensor, shape, cells[at] ?? ''),
        ]),
      );
    });
  };
  const expected = entriesOf(
    wanted.outputs.filter(({ name }) => !wanted.inputs.some((input) => input.name === name)),
  );
  return {
    streams: [entriesOf(wanted.inputs)],
    expected: (expected[0]?.size ?? 0) === 0 ? null : [expected],
  };
}

/** Each file is one sample, by name: an image goes as its encoded bytes. null: the folder is of another kind. */
export async function readFileSamples(folder: string, wanted: WantedTensors): Promise<ReadInput | null> {
  const input = onlyText(wanted);
  const files = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const known = [...wanted.inputs, ...wanted.outputs];
  if (input === null || files.length === 0 || known.some(({ name }) => files.includes(name))) return null;
  requireCount(folder, files.length, 'files');
  const entries: InputEntry[] = [];
  let left = mostInputBytes;
  for (const file of files) {
    const path = join(folder, file);
    const found = await readBoundedBytes(path, left, { links: 'follow' });
    if ('problem' in found) throw inputProblem(path, `The file cannot be read: ${found.problem}`);
    left -= found.bytes.length;
    entries.push(new Map([[input.name, { shape: input.shape, data: encodeTexts([found.bytes]) }]]));
  }
  return { streams: [entries], expected: null };
}

/** A file of lines (.txt) or a table (.csv, .tsv); null: of another kind. Throws input-invalid. */
export async function readTexts(path: string, wanted: WantedTensors): Promise<ReadInput | null> {
  switch (extname(path).toLowerCase()) {
    case '.txt':
      return readLines(path, wanted);
    case '.csv':
      return readTable(path, wanted, ',');
    case '.tsv':
      return readTable(path, wanted, '\t');
    default:
      return null;
  }
}
