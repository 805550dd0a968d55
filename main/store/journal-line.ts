import crc32 from 'crc-32';
import { type JournalEntry, readJournalEntry } from '../contract/run/run-events';
import { jsonOrNull } from '../platform/parse-json';

/** What every record begins with; a name inside of a record cannot look like it, because quotes are escaped there. */
const head = '{"seq":';
const recordStart = /\{"seq":\d+,"at":"/g;
const crcSuffix = /,"crc":"([0-9a-f]{8})"\}/g;
const suffixLength = ',"crc":"00000000"}'.length;

const closing = Buffer.from('}');

const hex = (checksum: number): string => (checksum >>> 0).toString(16).padStart(8, '0');

/** One journal line without its newline: the entry's JSON with the CRC-32 of that JSON as last member. */
export function formatJournalLine(entry: {
  readonly seq: number;
  readonly at: string;
  readonly [field: string]: unknown;
}): string {
  const json = JSON.stringify(entry);
  return `${json.slice(0, -1)},"crc":"${hex(crc32.str(json))}"}`;
}

/** The value on a whole line; null for a damaged one. The checksum is over the bytes: text decoded from damaged bytes has another length. */
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

/** The record on a whole line as it was written, with nothing that reading adds; null for a damaged line. */
export function writtenRecord(line: Uint8Array): object | null {
  const value = checkedValue(line);
  return typeof value === 'object' ? value : null;
}

/**
 * The whole records inside of a damaged line: two are there when the newline between them was hit, one when something
 * was put before or behind it. Each stretch is checked at its first and its last checksum only, so the work is linear.
 */
export function salvageRecords(line: Uint8Array): readonly JournalEntry[] {
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

/**
 * Bytes behind the last newline that a write left which did not come to its end, so that nobody was told of the record.
 * Anything else there, such as a whole record with a byte behind it, is a line whose newline was damaged.
 */
export function isTornWrite(tail: Uint8Array): boolean {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength).toString('latin1');
  if (!text.startsWith(head.slice(0, text.length))) return false;
  return text.search(crcSuffix) === -1 || parseJournalLine(tail) !== null;
}
