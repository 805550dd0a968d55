import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import type { ImportRequest, ImportSource } from '../../contract/run/imported';
import { readBoundedBytes } from '../../platform/plain-entry';
import { readModelAnalyzer } from './model-analyzer-csv';
import { headerOf, readTable, type Table, type TableKind, tableKind } from './model-analyzer-table';
import { type Capture, parseCaptureCsv } from './parse-capture-csv';
import { parseProfileExport } from './parse-profile-export';

/** What becomes a run. */
export interface ReadCapture {
  readonly source: ImportSource;
  /** Model name, valid as a folder's name. */
  readonly model: string;
  /** The configuration of several in a file; null in files of one. */
  readonly configuration: string | null;
  readonly points: readonly LoadPoint[];
}

const { bytes: mostCsvBytes } = fileLimits.captureCsv;
const { bytes: mostProfileBytes } = fileLimits.profileExport;

const otherFile = 'Use a CSV file or a profile export of perf_analyzer, or a CSV file of Model Analyzer.';
const oneProfile =
  'Give metrics-model-inference.csv of Model Analyzer, and metrics-model-gpu.csv and metrics-server-only.csv if you have them.';
const isJson = (text: string): boolean => /^\uFEFF?\s*[{[]/.test(text);
const ignoredBatch = ({ batchSize }: ImportRequest): readonly string[] =>
  batchSize === undefined
    ? []
    : [`Batch size ${batchSize} from the import was ignored: the file contains it.`];

const tooLarge = 'Export fewer levels, or import the CSV file instead of the profile export.';

/** The first character tells CSV from JSON; a profile export may be larger. */
async function readSmall(path: string): Promise<Buffer> {
  const found = await readBoundedBytes(path, mostProfileBytes, { links: 'follow' });
  if ('bytes' in found) return found.bytes;
  throw invalidInput(
    path,
    `The file cannot be read: ${found.problem}`,
    found.problem.includes(' bytes')
      ? tooLarge
      : 'Name a file written by perf_analyzer with -f or --profile-export-file.',
  );
}

interface TextFile {
  readonly fileName: string;
  readonly text: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

async function readFile(path: string): Promise<TextFile> {
  const bytes = await readSmall(path);
  const fileName = basename(path);
  if (bytes.length === 0) throw invalidInput(fileName, 'The file is empty', otherFile);
  if (bytes.includes(0)) throw invalidInput(fileName, 'Not a text file', otherFile);
  const text = bytes.toString('utf8');
  if (!isJson(text) && bytes.length > mostCsvBytes) {
    throw invalidInput(
      fileName,
      `The CSV file has ${bytes.length} bytes, at most ${mostCsvBytes} are read`,
      'A perf_analyzer file has one line per level.',
    );
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { fileName, text, sha256, sizeBytes: bytes.length };
}

/** Valid as a folder's or a preset's name. */
const nameOf = (text: string): string =>
  text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64) || 'model';

const sourceOf = (
  { fileName, sha256, sizeBytes }: TextFile,
  kind: ImportSource['kind'],
  notes: readonly string[],
): ImportSource => ({ kind, fileName, sha256, sizeBytes, notes: [...notes] });

function ofPerfAnalyzer(file: TextFile, request: ImportRequest): ReadCapture {
  const { fileName, text } = file;
  const options = { fileName, batchSize: request.batchSize ?? 1 };
  const [kind, capture]: readonly [ImportSource['kind'], Capture] = isJson(text)
    ? ['perf-analyzer-profile', parseProfileExport(text, options)]
    : ['perf-analyzer-csv', parseCaptureCsv(text, options)];
  const ofBatch =
    request.batchSize === undefined
      ? 'Batch size 1 is assumed: the file does not contain it.'
      : `Batch size ${request.batchSize} was set at the import: the file does not contain it.`;
  const notes = [
    ...(capture.saysBatch === true ? ignoredBatch(request) : [ofBatch]),
    request.model === undefined
      ? 'The model is named after the file, which does not contain its name.'
      : `The model name "${request.model}" was set at the import: the file does not contain it.`,
    ...capture.notes,
  ];
  return {
    source: sourceOf(file, kind, notes),
    model: nameOf(request.model ?? fileName.replace(/\.[^.]*$/, '')),
    configuration: null,
    points: capture.points,
  };
}

/** One run per configuration. */
function ofModelAnalyzer(
  inference: TextFile,
  beside: Readonly<Record<'gpu' | 'server', Table | null>>,
  request: ImportRequest,
): readonly ReadCapture[] {
  const table = readTable(inference.text, inference.fileName);
  const ignored = [
    ...ignoredBatch(request),
    ...(request.model === undefined
      ? []
      : [`The model name "${request.model}" was set at the import, in place of that of the file.`]),
  ];
  return readModelAnalyzer(table, beside).map(({ model, name, points, notes }) => ({
    source: sourceOf(inference, 'model-analyzer-csv', [...notes, ...ignored]),
    model: nameOf(request.model ?? model),
    configuration: name,
    points,
  }));
}

/**
 * Detects the format. Several files are those of one profile of Model Analyzer, in any order. Throws input-invalid with
 * line or field.
 */
export async function readCapture(request: ImportRequest): Promise<readonly ReadCapture[]> {
  const files = [];
  for (const path of [request.path, ...(request.beside ?? [])]) files.push(await readFile(path));
  const [first, ...others] = files;
  if (first === undefined) return [];
  const found = new Map<TableKind, TextFile>();
  for (const file of files) {
    const kind = isJson(file.text) ? null : tableKind(headerOf(file.text));
    if (kind === null && others.length === 0) return [ofPerfAnalyzer(file, request)];
    if (kind === null) throw invalidInput(file.fileName, 'Not a file of Model Analyzer', oneProfile);
    if (found.has(kind)) throw invalidInput(file.fileName, `The ${kind} file is given twice`, oneProfile);
    found.set(kind, file);
  }
  const inference = found.get('inference');
  if (inference === undefined) {
    throw invalidInput(first.fileName, 'The file has GPU figures and no levels', oneProfile);
  }
  const tableOf = (kind: 'gpu' | 'server'): Table | null => {
    const file = found.get(kind);
    return file === undefined ? null : readTable(file.text, file.fileName);
  };
  return ofModelAnalyzer(inference, { gpu: tableOf('gpu'), server: tableOf('server') }, request);
}
