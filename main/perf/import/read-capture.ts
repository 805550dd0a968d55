import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import type { ImportRequest, ImportSource } from '../../contract/run/imported';
import { readBoundedBytes } from '../../platform/read-bounded-file';
import { type Capture, type CaptureOptions, parseCaptureCsv } from './parse-capture-csv';
import { parseProfileExport } from './parse-profile-export';

export interface ReadCapture {
  readonly source: ImportSource;
  /** Name of the model as a run's folder may have it. */
  readonly model: string;
  readonly points: readonly LoadPoint[];
}

const { bytes: mostCsvBytes } = fileLimits.captureCsv;
const { bytes: mostProfileBytes } = fileLimits.profileExport;

const tooLarge = 'Export fewer levels, or import the CSV file instead of the profile export.';

/** Which of the two kinds it is, its first letter says; a profile export, with every request in it, may be the larger. */
async function readSmall(path: string): Promise<Buffer> {
  const found = await readBoundedBytes(path, mostProfileBytes, { links: 'follow' });
  if ('bytes' in found) return found.bytes;
  throw new WorkbenchError('input-invalid', `The file is not read: ${found.problem}`, {
    where: path,
    ...(found.problem.includes(' bytes') ? { remedy: tooLarge } : {}),
  });
}

function parsed(
  bytes: Buffer,
  options: CaptureOptions,
): { readonly kind: ImportSource['kind']; readonly capture: Capture } {
  const { fileName } = options;
  if (bytes.length === 0) throw new WorkbenchError('input-invalid', 'The file is empty', { where: fileName });
  if (bytes.includes(0)) {
    throw new WorkbenchError('input-invalid', 'Not a text file', {
      where: fileName,
      remedy: 'Use a CSV file or a profile export of perf_analyzer.',
    });
  }
  const text = bytes.toString('utf8');
  if (/^\uFEFF?\s*[{[]/.test(text)) {
    return { kind: 'perf-analyzer-profile', capture: parseProfileExport(text, options) };
  }
  if (bytes.length > mostCsvBytes) {
    throw new WorkbenchError(
      'input-invalid',
      `The CSV file has ${bytes.length} bytes, at most ${mostCsvBytes} are read`,
      { where: fileName, remedy: 'A perf_analyzer file has one line per level.' },
    );
  }
  return { kind: 'perf-analyzer-csv', capture: parseCaptureCsv(text, options) };
}

/** As a folder and a preset may be named. */
const nameOf = (text: string): string =>
  text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64) || 'model';

/** Reads a file of perf_analyzer, whichever of the two kinds it is. Throws input-invalid with line or field. */
export async function readCapture(request: ImportRequest): Promise<ReadCapture> {
  const bytes = await readSmall(request.path);
  const fileName = basename(request.path);
  const { kind, capture } = parsed(bytes, { fileName, batchSize: request.batchSize ?? 1 });
  const stem = fileName.replace(/\.[^.]*$/, '');
  return {
    source: {
      kind,
      fileName,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sizeBytes: bytes.length,
      notes: [
        ...(capture.saysBatch === true
          ? request.batchSize === undefined
            ? []
            : [`Batch size ${request.batchSize} from the import was ignored: the file contains it.`]
          : [
              request.batchSize === undefined
                ? 'Batch size 1 is assumed: the file does not contain it.'
                : `Batch size ${request.batchSize} was set at the import: the file does not contain it.`,
            ]),
        request.model === undefined
          ? 'The model is named after the file, which does not contain its name.'
          : `The model name "${request.model}" was set at the import: the file does not contain it.`,
        ...capture.notes,
      ],
    },
    model: nameOf(request.model ?? stem),
    points: capture.points,
  };
}
