import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import crc32 from 'crc-32';
import { WorkbenchError } from '../contract/errors';
import {
  damageText,
  type JournalBody,
  type JournalEntry,
  readJournalEntry,
} from '../contract/run/run-events';
import { reduceRun, type RunState } from '../contract/run/run-state';
import { syncToDisk } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { fileError, openPlain } from '../platform/plain-entry';
import type { RunFolder } from './run-folder';

/** Start of every record; cannot occur inside one, because quotes are escaped. */
const head = '{"seq":';
const recordStart = /\{"seq":\d+,"at":"/g;
const crcSuffix = /,"crc":"([0-9a-f]{8})"\}/g;
const suffixLength = ',"crc":"00000000"}'.length;

const closing = Buffer.from('}');

const hex = (checksum: number): string => (checksum >>> 0).toString(16).padStart(8, '0');

/** The entry's JSON with its CRC-32 as the last member, without newline. */
export function formatJournalLine(entry: {
  readonly seq: number;
  readonly at: string;
  readonly [field: string]: unknown;
}): string {
  const json = JSON.stringify(entry);
  return `${json.slice(0, -1)},"crc":"${hex(crc32.str(json))}"}`;
}

/** null for damaged lines. The checksum covers bytes, because decoding damaged text changes its length. */
export function checkedValue(line: Uint8Array): unknown {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const end = bytes.length - suffixLength;
  if (end < 0) return null;
  const [suffix] = bytes.toString('latin1', end).matchAll(crcSuffix);
  if (suffix?.index !== 0) return null;
  const body = bytes.subarray(0, end);
  if (hex(crc32.buf(closing, crc32.buf(body))) !== suffix[1]) return null;
  return jsonOrNull(`${body.toString('utf8')}}`);
}

/** Exactly one record. */
export function parseJournalLine(line: Uint8Array): JournalEntry | null {
  return readJournalEntry(checkedValue(line));
}

/** The record without defaults added by parsing; null if damaged. */
export function writtenRecord(line: Uint8Array): object | null {
  const value = checkedValue(line);
  return typeof value === 'object' ? value : null;
}

/** Two records if the newline was hit, one with garbage around it. Checks first and last checksums only: linear. */
function salvageRecords(line: Uint8Array): readonly JournalEntry[] {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const text = bytes.toString('latin1');
  const starts = [...text.matchAll(recordStart)].map(({ index }) => index);
  return starts.flatMap((start, which) => {
    const stretch = text.slice(start, starts[which + 1] ?? text.length);
    const ends = [...stretch.matchAll(crcSuffix)].map(({ index }) => index + suffixLength);
    for (const end of [ends[0], ends[ends.length - 1]]) {
      const entry = end === undefined ? null : parseJournalLine(bytes.subarray(start, start + end));
      if (entry !== null) return [entry];
    }
    return [];
  });
}

/** An incomplete last write, never acknowledged. Other remains, such as a record with extra bytes, are damaged lines. */
function isTornWrite(tail: Uint8Array): boolean {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength).toString('latin1');
  if (!text.startsWith(head.slice(0, text.length))) return false;
  return text.search(crcSuffix) === -1 || parseJournalLine(tail) !== null;
}

export interface JournalContent {
  readonly entries: readonly JournalEntry[];
  /** First record as written; null if damaged. */
  readonly first: object | null;
  /** `spec-changed` records as written, by number, without damaged ones. */
  readonly changes: ReadonlyMap<number, object>;
  /** Bytes to keep: without a torn write at the end. */
  readonly keptBytes: number;
  /** The last line lacks its newline, which an append must add. */
  readonly unterminated: boolean;
  /** Above every record, including damaged ones at the end. */
  readonly nextSeq: number;
  /** Line numbers (from 1) with an invalid checksum; records recovered from them are in `entries`. */
  readonly damagedLines: readonly number[];
  /** Those whose checksum holds, and whose content only a newer version can read. */
  readonly newerLines: readonly number[];
}

const newline = 0x0a;

/** Thousands of levels take some megabytes; imported journals may be anything. */
export const mostJournalBytes = 128 * 2 ** 20;
/** Each damaged line costs microseconds; unlimited ones would block for minutes. */
export const mostDamagedLines = 10_000;

/** Of a journal with few entries. */
const shortBytes = 2 ** 18;

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(newline, from);
    yield bytes.subarray(from, end === -1 ? bytes.length : end);
    from = end === -1 ? bytes.length : end + 1;
  }
}

/** Whole records of a line. What has a checksum that holds is not damaged, whatever it says. */
function readLine(
  line: Uint8Array,
  jitless: boolean,
): {
  readonly found: readonly JournalEntry[];
  readonly fault: 'damaged' | 'newer' | null;
} {
  const value = checkedValue(line);
  if (value === null) return { found: salvageRecords(line), fault: 'damaged' };
  const entry = readJournalEntry(value, jitless);
  return entry === null ? { found: [], fault: 'newer' } : { found: [entry], fault: null };
}

/**
 * Parses a journal. Ignores a torn write at the end, repeated sequence numbers and empty lines. Takes bytes, because
 * invalid ones decode to three. Throws journal-corrupt for too many damaged lines.
 */
export function parseJournal(bytes: Uint8Array): JournalContent {
  const end = bytes.lastIndexOf(newline) + 1;
  const torn = isTornWrite(bytes.subarray(end));
  const keptBytes = torn ? end : bytes.length;
  const entries: JournalEntry[] = [];
  const lost: Record<'damaged' | 'newer', number[]> = { damaged: [], newer: [] };
  const changes = new Map<number, object>();
  let [number, lastSeq, lostAtEnd] = [0, 0, 0];
  let first: object | null = null;
  for (const line of linesOf(bytes.subarray(0, keptBytes))) {
    number += 1;
    if (line.length === 0) continue;
    const { found, fault } = readLine(line, bytes.length < shortBytes);
    if (fault !== null) lost[fault].push(number);
    if (lost.damaged.length > mostDamagedLines) {
      throw new WorkbenchError('journal-corrupt', `More than ${mostDamagedLines} lines are damaged`);
    }
    const [entry] = fault === null ? found : [];
    if (entry !== undefined) {
      if (entries.length === 0) first = writtenRecord(line);
      const change = entry.type === 'spec-changed' && entry.seq > lastSeq ? writtenRecord(line) : null;
      if (change !== null) changes.set(entry.seq, change);
    }
    lostAtEnd = found.length === 0 ? lostAtEnd + 1 : 0;
    for (const record of found) {
      if (record.seq <= lastSeq) continue;
      entries.push(record);
      lastSeq = record.seq;
    }
  }
  const unterminated = keptBytes > end;
  const nextSeq = lastSeq + lostAtEnd + 1;
  const { damaged: damagedLines, newer: newerLines } = lost;
  return { entries, first, changes, keptBytes, unterminated, nextSeq, damagedLines, newerLines };
}

/** Throws journal-corrupt above the size limit. */
export async function journalBytes(file: FileHandle, path: string): Promise<Buffer> {
  const { size } = await file.stat();
  if (size <= mostJournalBytes) return file.readFile();
  throw new WorkbenchError(
    'journal-corrupt',
    `The journal has ${size} bytes, at most ${mostJournalBytes} are read`,
    { where: path },
  );
}

/** Safe during appends. Throws journal-corrupt. */
export async function readJournal(path: string): Promise<JournalContent> {
  const file = await openPlain(path, constants.O_RDONLY);
  try {
    return parseJournal(await journalBytes(file, path));
  } finally {
    await file.close();
  }
}

/** The only writer, by the run's lease. */
export class JournalWriter {
  private tail: Promise<unknown> = Promise.resolve();
  /** A failed write may have left bytes beyond `length`. */
  private unfinished = false;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
    private length: number,
    private nextSeq: number,
  ) {}

  /** Opens or creates durably; removes a torn write. */
  static async open(path: string): Promise<{ writer: JournalWriter; content: JournalContent }> {
    const { O_RDWR, O_APPEND, O_CREAT } = constants;
    const file = await openPlain(path, O_RDWR | O_APPEND | O_CREAT).catch((error: unknown) => {
      throw fileError(error, path);
    });
    try {
      const bytes = await journalBytes(file, path);
      const content = parseJournal(bytes);
      if (bytes.length === 0) await syncToDisk(dirname(path));
      if (content.keptBytes < bytes.length) await file.truncate(content.keptBytes);
      if (content.unterminated) await file.appendFile('\n');
      const length = content.keptBytes + (content.unterminated ? 1 : 0);
      return { writer: new JournalWriter(file, path, length, content.nextSeq), content };
    } catch (error) {
      await file.close().catch(() => undefined);
      throw fileError(error, path);
    }
  }

  /** Resolves when synced (fdatasync). */
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
    const entry: JournalEntry = { seq: this.nextSeq, at: new Date().toISOString(), ...body };
    const line = `${formatJournalLine(entry)}\n`;
    try {
      if (this.unfinished) await this.cutBack();
      // Starts a new line after an incomplete one that could not be removed.
      const bytes = Buffer.from(this.unfinished ? `\n${line}` : line);
      const before = this.unfinished ? (await this.file.stat()).size : this.length;
      await this.file.appendFile(bytes);
      await this.file.datasync();
      this.length = before + bytes.length;
    } catch (error) {
      await this.cutBack();
      // The failed record may be complete on disk, so its number is not reused.
      if (this.unfinished) this.nextSeq = entry.seq + 1;
      throw fileError(error, this.path);
    }
    this.unfinished = false;
    this.nextSeq = entry.seq + 1;
    return entry;
  }

  /** Removes remains of a failed write; sets `unfinished` if impossible. */
  private async cutBack(): Promise<void> {
    this.unfinished = await this.file.truncate(this.length).then(
      () => false,
      () => true,
    );
  }
}

/** A folder without a `run-created` record is not a run. Throws journal-corrupt, journal-newer. */
export function requireEntries(content: JournalContent, path: string): void {
  if (content.entries[0]?.type === 'run-created') return;
  if (content.newerLines[0] === 1) {
    throw new WorkbenchError('journal-newer', 'A newer version of the workbench wrote this run', {
      where: path,
    });
  }
  const damage = damageText(content.damagedLines);
  const what = 'The journal does not begin with the creation of a run';
  throw new WorkbenchError('journal-corrupt', damage === null ? what : `${what}. ${damage}`, { where: path });
}

/** Throws journal-corrupt, run-folder-unsafe. */
export async function readContent({ journal }: RunFolder): Promise<JournalContent> {
  return readJournal(journal).catch((error: unknown) => {
    if (error instanceof WorkbenchError) throw error;
    throw new WorkbenchError('journal-corrupt', 'The journal cannot be read', {
      where: journal,
      cause: error,
    });
  });
}

/** State without origin. Throws journal-corrupt, journal-newer. */
export function stateIn(content: JournalContent, path: string): RunState {
  requireEntries(content, path);
  const state = content.entries.reduce<RunState | null>(reduceRun, null);
  if (state === null) throw new WorkbenchError('journal-corrupt', 'The journal is empty', { where: path });
  const { damagedLines, newerLines } = content;
  return { ...state, damagedLines, newerLines };
}
