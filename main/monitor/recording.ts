import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { modelFields } from '../contract/monitor/model-columns';
import { type MonitorSample, monitorSampleSchema } from '../contract/monitor/monitor';
import { gpuFields, type MonitorHistory } from '../contract/monitor/monitor-history';
import { makeFolder } from '../platform/files';
import { LineSplitter } from '../platform/lines';
import { jsonOrNull } from '../platform/parse-json';
import { fileError } from '../platform/plain-entry';
import { csvText, type CsvValue } from '../reports/csv';

const useRecording = 'Use a file written with --record, or with Record on the Monitor page.';

/** Fits 10,000 models; longer lines are damaged. */
const maxSampleBytes = 16 * 1024 * 1024;

const headSchema = z.object({
  recording: z.literal('triton-workbench-monitor'),
  version: z.literal(1),
  url: z.string(),
  startedAt: z.string(),
});
type RecordingHead = z.infer<typeof headSchema>;

export const recordingHead = (url: string, now: Date): RecordingHead => ({
  recording: 'triton-workbench-monitor',
  version: 1,
  url,
  startedAt: now.toISOString(),
});

/** Appends JSON lines; truncation loses at most the incomplete last one. Throws disk-full, file-unwritable. */
export class RecordingWriter {
  private tail: Promise<unknown> = Promise.resolve();
  private constructor(
    private readonly file: FileHandle,
    readonly path: string,
  ) {}

  static async create(path: string, head: RecordingHead): Promise<RecordingWriter> {
    try {
      await makeFolder(dirname(path));
      const file = await open(path, 'wx');
      await file.appendFile(`${JSON.stringify(head)}\n`);
      return new RecordingWriter(file, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new WorkbenchError('input-invalid', `${path} already exists`, {
          remedy: 'Choose a new file: recordings are never overwritten.',
        });
      }
      throw fileError(error, path);
    }
  }

  append(sample: MonitorSample): Promise<void> {
    const written = this.tail.then(async () => {
      try {
        await this.file.appendFile(`${JSON.stringify(sample)}\n`);
      } catch (error) {
        throw fileError(error, this.path);
      }
    });
    this.tail = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.tail;
    await this.file.sync().catch(() => undefined);
    await this.file.close();
  }
}

/** Holds any head: an address and a time. */
const mostHeadBytes = 4096;

/** Server and start of a recording; null: another file, or it cannot be read. */
export async function readRecordingHead(path: string): Promise<RecordingHead | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostHeadBytes), 0, mostHeadBytes, 0);
    const [line = ''] = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    return headSchema.safeParse(jsonOrNull(line)).data ?? null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** null for incomplete or modified lines. */
export function parseRecordingLine(line: string): MonitorSample | null {
  return monitorSampleSchema.safeParse(jsonOrNull(line)).data ?? null;
}

/** Streams samples; damaged lines are skipped and counted. Throws input-invalid for other files. */
export async function* readRecording(
  path: string,
  onDamaged: (count: number) => void,
): AsyncGenerator<MonitorSample> {
  const stream = createReadStream(path);
  let first = true;
  let damaged = 0;
  try {
    for await (const line of linesOf(stream)) {
      if (first) {
        first = false;
        if (!headSchema.safeParse(jsonOrNull(line)).success) {
          throw invalidInput(path, `${path} is not a monitor recording`, useRecording);
        }
        continue;
      }
      const sample = parseRecordingLine(line);
      if (sample !== null) yield sample;
      else if (line !== '') onDamaged((damaged += 1));
    }
    if (first) throw invalidInput(path, `${path} is empty`, useRecording);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw invalidInput(path, `${path} does not exist`, 'Check its path.');
    // System errors say more.
    if (code !== undefined && !(error instanceof WorkbenchError)) {
      throw invalidInput(path, `${path} cannot be read (${code})`, useRecording);
    }
    throw error;
  } finally {
    stream.destroy();
  }
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let ready: string[] = [];
  const lines = new LineSplitter((line) => ready.push(line), maxSampleBytes);
  for await (const chunk of stream) {
    lines.add(chunk);
    yield* ready;
    ready = [];
  }
  lines.end();
  yield* ready;
}

const blank = (value: number | undefined): CsvValue =>
  value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(7));

/** One row per second and model or GPU; missing seconds have none. */
export function monitorCsv(history: MonitorHistory): string {
  const span = history.span();
  const fields = [...modelFields, ...gpuFields];
  const header = ['time', 'subject', ...fields];
  if (span === null) return csvText(header, []);
  const rows: CsvValue[][] = [];
  for (const key of history.keys()) {
    const columns = fields.map((field) => history.series(key, field, span.fromMs, span.toMs).values);
    const { timesMs } = history.series(key, 'requestsPerSecond', span.fromMs, span.toMs);
    timesMs.forEach((timeMs, at) => {
      if (columns.every((values) => Number.isNaN(values[at] ?? NaN))) return;
      rows.push([new Date(timeMs).toISOString(), key, ...columns.map((values) => blank(values[at]))]);
    });
  }
  return csvText(header, rows);
}

/** Samples between yields to the event loop: 20,000 per second. */
const burst = 500;
const restMs = 25;

/** Emits samples at `speed` times their pace; 0: unlimited. Resolves at the end or abort. Throws input-invalid. */
export async function replayRecording(options: {
  readonly path: string;
  readonly speed: number;
  readonly onSample: (sample: MonitorSample) => void;
  readonly onDamaged: (count: number) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { speed, signal } = options;
  let first: { readonly atMs: number; readonly clockMs: number } | null = null;
  let count = 0;
  for await (const sample of readRecording(options.path, options.onDamaged)) {
    if (signal.aborted) return;
    if (speed > 0) {
      first ??= { atMs: sample.atMs, clockMs: performance.now() };
      const dueMs = first.clockMs + (sample.atMs - first.atMs) / speed;
      const waitMs = dueMs - performance.now();
      if (waitMs > 1) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    } else if (count % burst === 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted as boolean) return;
    options.onSample(sample);
    count += 1;
  }
}
