import { open, readFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import crc32 from 'crc-32';
import { WorkbenchError } from '../contract/errors';
import type { JournalBody, JournalEntry } from '../contract/run-events';
import { journalEntrySchema } from '../contract/run-events';
import { fileError } from '../platform/file-error';

const crcSuffix = /,"crc":"([0-9a-f]{8})"\}$/;

const checksum = (json: string): string => (crc32.str(json) >>> 0).toString(16).padStart(8, '0');

/** One journal line without its newline: the entry's JSON with the CRC-32 of that JSON as last member. */
export function formatJournalLine(entry: JournalEntry): string {
  const json = JSON.stringify(entry);
  return `${json.slice(0, -1)},"crc":"${checksum(json)}"}`;
}

/** null when the line is torn, altered or not of the schema. */
export function parseJournalLine(line: string): JournalEntry | null {
  const match = crcSuffix.exec(line);
  if (match === null) return null;
  const json = `${line.slice(0, match.index)}}`;
  if (checksum(json) !== match[1]) return null;
  const parsed = journalEntrySchema.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : null;
}

export interface JournalContent {
  readonly entries: readonly JournalEntry[];
  /** Bytes up to the end of the last whole line: what an append goes behind. */
  readonly wholeBytes: number;
  /** Numbers (from 1) of whole lines that failed their checksum or schema; they are left out. */
  readonly damagedLines: readonly number[];
}

/**
 * Pure: text of a journal -> its entries. A last line without newline is a torn write and is ignored;
 * a line whose seq was seen already is a repeated write and is ignored.
 */
export function parseJournal(text: string): JournalContent {
  const end = text.lastIndexOf('\n') + 1;
  const entries: JournalEntry[] = [];
  const damagedLines: number[] = [];
  const lines = end === 0 ? [] : text.slice(0, end - 1).split('\n');
  let lastSeq = 0;
  lines.forEach((line, index) => {
    const entry = parseJournalLine(line);
    if (entry === null) {
      damagedLines.push(index + 1);
    } else if (entry.seq > lastSeq) {
      entries.push(entry);
      lastSeq = entry.seq;
    }
  });
  return { entries, wholeBytes: Buffer.byteLength(text.slice(0, end)), damagedLines };
}

/** The journal as it stands on disk, also while another process appends to it. */
export async function readJournal(path: string): Promise<JournalContent> {
  return parseJournal(await readFile(path, 'utf8'));
}

/** Appends to one journal. One writer a run: the lease of the run sees to that. */
export class JournalWriter {
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private length: number,
    private seq: number,
  ) {}

  /** Opens (and creates) the journal; a torn last line is cut off. */
  static async open(path: string): Promise<{ writer: JournalWriter; content: JournalContent }> {
    const file = await open(path, 'a+').catch((error: unknown) => {
      throw fileError(error, path);
    });
    const content = parseJournal(await file.readFile('utf8'));
    await file.truncate(content.wholeBytes);
    const last = content.entries[content.entries.length - 1];
    return { writer: new JournalWriter(file, path, content.wholeBytes, last?.seq ?? 0), content };
  }

  /** Resolves with the entry when it is on disk (fdatasync), and not before. */
  append(body: JournalBody): Promise<JournalEntry> {
    const written = this.tail.then(() => this.write(body));
    this.tail = written.catch(() => undefined);
    return written;
  }

  async close(): Promise<void> {
    await this.tail;
    await this.file.close();
  }

  private async write(body: JournalBody): Promise<JournalEntry> {
    const entry: JournalEntry = { seq: this.seq + 1, at: new Date().toISOString(), ...body };
    const bytes = Buffer.from(`${formatJournalLine(entry)}\n`);
    try {
      await this.file.appendFile(bytes);
      await this.file.datasync();
    } catch (error) {
      // Half a line must not stand before the next good one.
      await this.file.truncate(this.length).catch(() => undefined);
      throw fileError(error, this.path);
    }
    this.length += bytes.length;
    this.seq = entry.seq;
    return entry;
  }
}

/** The journal must begin with `run-created`; a folder without one is not a run. */
export function requireEntries(content: JournalContent, path: string): void {
  if (content.entries[0]?.type !== 'run-created') {
    throw new WorkbenchError('journal-corrupt', 'The journal does not begin with the creation of a run', {
      where: path,
    });
  }
}
