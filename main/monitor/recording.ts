import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import type { MonitorSample } from '../contract/monitor';
import { monitorSampleSchema } from '../contract/monitor';
import { fileError } from '../platform/file-error';
import { LineSplitter } from '../platform/line-splitter';
import { makeFolder } from '../platform/make-folder';

/** Of one sample: 10,000 models of a server have room. A longer line is damaged. */
const maxSampleBytes = 16 * 1024 * 1024;

const headSchema = z.object({
  recording: z.literal('triton-workbench-monitor'),
  version: z.literal(1),
  url: z.string(),
  startedAt: z.string(),
});
export type RecordingHead = z.infer<typeof headSchema>;

/** The head of a recording that begins now. */
export const recordingHead = (url: string, now: Date): RecordingHead => ({
  recording: 'triton-workbench-monitor',
  version: 1,
  url,
  startedAt: now.toISOString(),
});

/**
 * Appends samples to a new file, one JSON text a line. A line counts once its newline is there, so that a file cut at any
 * byte loses at most its last second. Throws disk-full, file-unwritable.
 */
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

/** One line of a recording; null when it is torn or altered. Pure. */
export function parseRecordingLine(line: string): MonitorSample | null {
  try {
    const parsed = monitorSampleSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * The samples of a recording in their order, read as they are asked for. Damaged lines are left out and counted.
 * Throws input-invalid when the file is no recording.
 */
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
        if (!isHead(line)) {
          throw new WorkbenchError('input-invalid', `${path} is not a monitor recording`, {
            where: path,
          });
        }
        continue;
      }
      const sample = parseRecordingLine(line);
      if (sample !== null) yield sample;
      else if (line !== '') onDamaged((damaged += 1));
    }
    if (first) throw new WorkbenchError('input-invalid', `${path} is empty`, { where: path });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new WorkbenchError('input-invalid', `${path} does not exist`, { where: path });
    // A folder, a file of somebody else's: the system says which.
    if (code !== undefined && !(error instanceof WorkbenchError)) {
      throw new WorkbenchError('input-invalid', `${path} cannot be read (${code})`, {
        where: path,
        remedy: 'Use a file written with --record.',
      });
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

function isHead(line: string): boolean {
  try {
    return headSchema.safeParse(JSON.parse(line)).success;
  } catch {
    return false;
  }
}
