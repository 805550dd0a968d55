import { invalidInput } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import type { Replay, ReplayRead } from '../../contract/run/run-spec';
import { largestOf } from '../../domain/statistics';
import { hashValue, writeFileAtomic } from '../../platform/files';
import { shortText, someOf } from '../../platform/lines';
import { readBoundedFile } from '../../platform/plain-entry';
import { parseTrace, type TraceRow } from './parse-trace';

/** Which requests of a trace are sent. */
export interface ReplayPart extends Pick<Replay, 'file' | 'fromS' | 'toS'> {
  /** Names of the models that are measured. */
  readonly models: readonly string[];
}

/** Requests of the models that are measured; of a trace of one model, whatever its name, all. */
function ofModels(rows: readonly TraceRow[], { file, models }: ReplayPart): readonly TraceRow[] {
  const named = new Set(rows.flatMap(({ model }) => model ?? []));
  const [only = '', ...others] = models;
  const known = `It has requests for ${someOf([...named].map((name) => shortText(name)))}.`;
  if (others.length === 0) {
    const own = rows.filter(({ model }) => model === undefined || model === only);
    if (named.size < 2 || own.length > 0) return named.size < 2 ? rows : own;
    throw invalidInput(
      file,
      `The trace has no request for ${only}`,
      `${known} Give the model that name, or remove the column.`,
    );
  }
  const absent = models.find((model) => !named.has(model));
  if (absent !== undefined) throw invalidInput(file, `The trace has no request for ${absent}`, known);
  if (rows.some(({ model }) => model === undefined)) {
    throw invalidInput(
      file,
      'Some requests of the trace do not name a model',
      'With several models, each request names one.',
    );
  }
  return rows.filter(({ model = '' }) => models.includes(model));
}

/** The part that is sent, whose times count from its start, in whole microseconds. */
function cut(rows: readonly TraceRow[], part: ReplayPart): readonly TraceRow[] {
  const { file, fromS, toS = Infinity } = part;
  const firstUs = rows[0]?.atUs ?? 0;
  const lastS = ((rows.at(-1)?.atUs ?? 0) - firstUs) / 1e6;
  const found = rows
    .map((row) => ({ ...row, atUs: Math.round(row.atUs - firstUs - 1e6 * fromS) }))
    .filter(({ atUs }) => atUs >= 0 && atUs < 1e6 * (toS - fromS));
  if (found.length === 0) {
    throw invalidInput(
      file,
      `The trace has no request from ${fromS} s to ${toS === Infinity ? 'its end' : `${toS} s`}`,
      `Its last request is ${lastS} s after its first.`,
    );
  }
  const own = ofModels(found, part);
  if (own.at(-1)?.atUs === 0)
    throw invalidInput(
      file,
      'All requests of the trace have the same time',
      'A rate needs requests at different times.',
    );
  return own;
}

const columns = ['size', 'model', 'entry', 'inputClass'] as const;
const quoted = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${value.replaceAll('"', '""')}"`;

/** What is kept of a trace: times, sizes and names, as a trace of its own. @param models kept by name where several are */
export function keptText(rows: readonly TraceRow[], models: readonly string[]): string {
  const used = columns.filter(
    (column) => (column !== 'model' || models.length > 1) && rows.some((row) => row[column] !== undefined),
  );
  const head = ['timestamp_us', ...used].join(',').replace('inputClass', 'class');
  const lines = rows.map((row) =>
    [row.atUs, ...used.map((column) => row[column] ?? '')]
      .map((cell) => (cell === '' ? '' : quoted(cell)))
      .join(','),
  );
  return `${[head, ...lines].join('\n')}\n`;
}

function countsOf(rows: readonly TraceRow[], models: readonly string[]): ReplayRead['models'] {
  if (models.length < 2) return {};
  return Object.fromEntries(models.map((name) => [name, rows.filter(({ model }) => model === name).length]));
}

/** What a part is of: where it stays the same, the file need not be read again. */
export const replayKey = ({ file, fromS, toS, models }: ReplayPart): string =>
  hashValue([file, fromS, toS ?? null, models]).slice(0, 32);

async function readPart(part: ReplayPart): Promise<{ readonly read: ReplayRead; readonly kept: string }> {
  const { file, models } = part;
  const found = await readBoundedFile(file, fileLimits.trace.bytes, { links: 'follow' });
  if ('problem' in found)
    throw invalidInput(
      file,
      `The trace cannot be read: ${found.problem}`,
      'Name a file that exists, of at most 64 MiB.',
    );
  const rows = cut(parseTrace(found.text, file), part);
  const kept = keptText(rows, models);
  const sizes = rows.flatMap(({ size }) => size ?? []);
  return {
    kept,
    read: {
      of: replayKey(part),
      sha256: hashValue(kept),
      requests: rows.length,
      seconds: (rows.at(-1)?.atUs ?? 0) / 1e6,
      ...(sizes.length === 0
        ? {}
        : {
            largestBatchSize: largestOf(sizes),
            meanBatchSize: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
          }),
      namesInputs: rows.some(({ entry, inputClass }) => entry !== undefined || inputClass !== undefined),
      models: countsOf(rows, models),
    },
  };
}

/** What the part of a trace has. Throws input-invalid with the line, and without anything of its content. */
export async function readReplay(part: ReplayPart): Promise<ReplayRead> {
  return (await readPart(part)).read;
}

/** The same; writes what is kept of it to a file. */
export async function storeReplay({
  to,
  ...part
}: ReplayPart & { readonly to: string }): Promise<ReplayRead> {
  const { read, kept } = await readPart(part);
  await writeFileAtomic(to, kept);
  return read;
}
