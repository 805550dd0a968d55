import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { isLoopback } from '../contract/address';
import { isSteady } from '../contract/flag-text';
import { importKindText } from '../contract/run/imported';
import { accuracyOf, type RunSummary, runSummarySchema } from '../contract/run/run-outcome';
import { bySource, importedFileOf, modelOf, serverLoadOf } from '../contract/run/run-source';
import type { RunState } from '../contract/run/run-state';
import { measuredServer } from '../contract/run/server-load';
import { budgetLatencyUs } from '../contract/run/sweep';
import { present } from '../contract/trees';
import { answerOf, p99HalfUs } from '../domain/measured/answer';
import { type BestPoint, bestPoint } from '../domain/measured/points';
import { servedByOf, servedByText } from '../domain/run/served-by';
import { replaceFile } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { readBoundedFile } from '../platform/plain-entry';
import { writtenRecord } from './journal';
import type { RunFolder } from './run-folder';

/** Journal data for the run list, from one read. */
interface JournalHead {
  /** Identifies journal and version: inode, ctime (which cannot be set), and end. */
  readonly mark: string;
  readonly bytes: number;
  /** First record as written; null if damaged or above 1 MiB. */
  readonly first: object | null;
}

/** Enough for the last line's checksum. */
const endBytes = 1024;
const mostStartBytes = 2 ** 20;
/** First records usually fit one read. */
const startPartBytes = 2 ** 14;
const newline = 0x0a;

async function firstLine(file: FileHandle): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (let length = 0; length < mostStartBytes;) {
    const room = Buffer.allocUnsafe(Math.min(startPartBytes, mostStartBytes - length));
    const { bytesRead } = await file.read(room, 0, room.length, length);
    if (bytesRead === 0) return null;
    const end = room.subarray(0, bytesRead).indexOf(newline);
    parts.push(room.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1) return Buffer.concat(parts);
    length += bytesRead;
  }
  return null;
}

/** null if missing or unreadable. */
export async function readJournalHead(path: string): Promise<JournalHead | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const end = Buffer.alloc(Math.min(endBytes, Number(size)));
    await file.read(end, 0, end.length, Number(size) - end.length);
    const hash = createHash('sha256').update(end).digest('hex');
    const line = await firstLine(file);
    return {
      mark: [ino, size, mtimeNs, ctimeNs, hash].join(' '),
      bytes: Number(size),
      first: line === null ? null : writtenRecord(line),
    };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

const runRowSchema = runSummarySchema.omit({ origin: true });
/** The cached part of a row. */
type RunRow = Omit<RunSummary, 'origin'>;

const levelRow = (level: BestPoint | null): RunRow['best'] =>
  level === null
    ? null
    : {
        inferencesPerSecond: level.point.inferencesPerSecond,
        p99Us: budgetLatencyUs(level.point),
        ...present({
          intervalIps: level.point.throughputIntervalIps ?? undefined,
          p99IntervalUs: p99HalfUs(level.point) ?? undefined,
        }),
        steady: isSteady(level.point),
      };

/** "NVIDIA A100", "2 × NVIDIA A100", "NVIDIA A100, NVIDIA A30". */
function gpuNames(names: readonly string[]): string {
  return [...new Set(names)]
    .map((name) => {
      const count = names.filter((other) => other === name).length;
      return count === 1 ? name : `${count} × ${name}`;
    })
    .join(', ');
}

/** Unknown for imported runs. */
function placeOf({ environment, source }: RunState): Pick<RunRow, 'machine' | 'server'> {
  const { gpus, cpu, image, tritonVersion, server: other } = environment;
  const server = other ?? tritonVersion ?? '';
  const here = {
    machine: gpus.length === 0 ? cpu : gpuNames(gpus.map(({ name }) => name)),
    server: image ?? server,
  };
  return bySource(source, {
    imported: () => ({ machine: '', server: '' }),
    // Remote machines are unknown except for Triton's version.
    server: ({ addresses }) => (isLoopback(addresses.http) ? here : { machine: '', server }),
    deployed: () => here,
  });
}

/** The executor of the model, in short and in full. */
function servedRow(state: RunState): RunRow['servedBy'] {
  const text = servedByText(state);
  return text === null ? null : { short: servedByOf(state)?.short ?? '', text };
}

/** Parameters, or the source of imported figures. */
const kindOf = ({ source }: RunState): Pick<RunRow, 'profile' | 'format' | 'precision' | 'engine'> =>
  bySource(source, {
    imported: () => ({ profile: '–', format: 'imported', precision: '', engine: '–' }),
    server: () => ({ profile: '–', format: 'as served', precision: '', engine: 'remote' }),
    deployed: ({ model, format, precision, engine }) => ({
      profile: model.profile,
      format,
      precision,
      engine: engine.kind,
    }),
  });

const stepsUs = ({ steps }: RunState): number =>
  steps.reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0);

/** The best level is the report's. */
export function toSummary(state: RunState, dir: string): RunRow {
  const answer = answerOf(state);
  const [file, load] = [importedFileOf(state), serverLoadOf(state)];
  return {
    runId: state.runId,
    dir,
    preset: modelOf(state),
    imported: file === null ? null : importKindText[file.kind],
    onServer: load === null ? null : measuredServer(load),
    ...kindOf(state),
    status: state.status,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    ...present({ durationUs: stepsUs(state) || undefined }),
    best: levelRow(bestPoint(state)),
    chosen: levelRow(answer === null ? null : answer.level),
    answer: answer === null ? null : { text: answer.text, isSure: answer.isSure, mark: answer.mark },
    ...placeOf(state),
    servedBy: servedRow(state),
    accuracyPassed: state.accuracy?.result.passed ?? null,
    accuracy: accuracyOf(state.accuracy?.result),
    unverified: state.unverified,
    name: state.name,
    tags: state.tags,
    note: state.note,
    waitsFor: state.waitsFor,
    job: state.job,
    ...(state.matrix === null ? {} : { matrix: state.matrix }),
    damagedLines: state.damagedLines,
    ...(state.newerLines.length === 0 ? {} : { newerLines: state.newerLines }),
  };
}

const mostSummaryBytes = 2 ** 20;

/** Increment when `toSummary` changes. */
const madeBy = 23;

const keptSchema = z.strictObject({
  madeBy: z.int(),
  /** `JournalHead.mark`. */
  journal: z.string(),
  summary: runRowSchema,
});

export interface KeptRow {
  readonly row: RunRow;
  /** From another version, whose `toSummary` may differ. */
  readonly isOutdated: boolean;
}

/** null if missing, or for another journal or schema. */
export async function readKeptRow(folder: RunFolder, mark: JournalHead['mark']): Promise<KeptRow | null> {
  const found = await readBoundedFile(folder.summary, mostSummaryBytes);
  const kept = 'text' in found ? keptSchema.safeParse(jsonOrNull(found.text)).data : undefined;
  if (kept?.journal !== mark) return null;
  // The folder may have moved.
  return { row: { ...kept.summary, dir: folder.dir }, isOutdated: kept.madeBy !== madeBy };
}

/** Computes and caches a row; reading a large journal takes a third of a second. Failed writes are ignored. */
export async function makeRow(
  folder: RunFolder,
  mark: JournalHead['mark'] | null,
  make: () => Promise<RunRow>,
): Promise<RunRow> {
  const summary = await make();
  if (mark !== null && mark === (await readJournalHead(folder.journal))?.mark) {
    const content = { madeBy, journal: mark, summary } satisfies z.input<typeof keptSchema>;
    // Regenerated after a power failure.
    await replaceFile(folder.summary, JSON.stringify(content)).catch(() => undefined);
  }
  return summary;
}
