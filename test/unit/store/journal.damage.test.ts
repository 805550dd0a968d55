import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import crc32 from 'crc-32';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { formatJournalLine, JournalWriter, parseJournal, readJournal } from '../../../main/store/journal';

const newline = 0x0a;
const started = (attempt: number): JournalBody => ({ type: 'run-started', attempt, pid: 7 });

/** A journal of `count` records; names outside of ASCII, so that characters of several bytes are hit too. */
const journalOf = (count: number): Buffer =>
  Buffer.from(
    Array.from({ length: count }, (_, index) => {
      const body: JournalBody =
        index % 2 === 0 ? started(1) : { type: 'command', step: 'export', argv: ['ü"\n'] };
      return `${formatJournalLine({ seq: index + 1, at: '2026-01-01T00:00:00.000Z', ...body })}\n`;
    }).join(''),
  );

const flipped = (bytes: Buffer, at: number, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
  return copy;
};

/** Numbers of the records that a fault at this byte does not touch: all of them where a newline is hit. */
const untouched = (bytes: Buffer, at: number): number[] => {
  const lines = bytes.toString('latin1').split('\n').length - 1;
  const hit = bytes[at] === newline ? 0 : bytes.toString('latin1', 0, at).split('\n').length;
  return Array.from({ length: lines }, (_, index) => index + 1).filter((seq) => seq !== hit);
};

const seqsOf = (bytes: Buffer): number[] => parseJournal(bytes).entries.map(({ seq }) => seq);

let dir = '';
let path = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-damage-'));
  path = join(dir, 'journal.jsonl');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Opens the journal, appends one record and closes it. @returns the record's number. */
async function appendOne(): Promise<number> {
  const { writer } = await JournalWriter.open(path);
  const { seq } = await writer.append(started(2));
  await writer.close();
  return seq;
}

describe('one flipped bit', () => {
  it('anywhere in a journal of 3 lines costs the record it hits at most, and is reported', () => {
    const bytes = journalOf(3);
    for (let at = 0; at < bytes.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const damaged = flipped(bytes, at, bit);
        const where = `byte ${at}, bit ${bit}`;
        expect(seqsOf(damaged), where).toEqual(untouched(bytes, at));
        expect(parseJournal(damaged).damagedLines.length, where).toBeGreaterThan(0);
      }
    }
  });

  it('in the first, a middle and the last line of 40 costs no other record', () => {
    const bytes = journalOf(40);
    const ends = [...bytes.keys()].filter((at) => bytes[at] === newline);
    for (const line of [0, 20, 39]) {
      for (let at = (ends[line - 1] ?? -1) + 1; at <= (ends[line] ?? 0); at += 1) {
        const damaged = flipped(bytes, at, at % 8);
        expect(seqsOf(damaged), `byte ${at}`).toEqual(untouched(bytes, at));
      }
    }
  });

  it('costs nothing that is appended afterwards, over two more opens', async () => {
    const bytes = journalOf(3);
    for (let at = 0; at < bytes.length; at += 1) {
      const where = `byte ${at}`;
      const damaged = flipped(bytes, at, 7 - (at % 8));
      await writeFile(path, damaged);
      const appended = [await appendOne(), await appendOne()];
      const { entries, damagedLines } = await readJournal(path);
      expect(
        entries.map(({ seq }) => seq),
        where,
      ).toEqual([...untouched(bytes, at), ...appended]);
      expect(damagedLines.length, where).toBeGreaterThan(0);
      // Nothing of what was there is taken away, and nothing is made up.
      expect((await readFile(path)).subarray(0, damaged.length).equals(damaged), where).toBe(true);
    }
  });
});

describe('a damaged last line', () => {
  it.each([...Array(8).keys()])('is kept when bit %i of its newline was flipped', async (bit) => {
    const bytes = journalOf(3);
    await writeFile(path, flipped(bytes, bytes.length - 1, bit));
    expect(await appendOne()).toBe(4);
    const { entries, damagedLines } = await readJournal(path);
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(damagedLines).toEqual([3]);
  });

  it('does not give its number to the next record: a window has seen it', async () => {
    const bytes = journalOf(3);
    await writeFile(path, flipped(bytes, bytes.length - 5, 0));
    expect(await appendOne()).toBe(4);
  });
});

it('what an earlier version glued together is read again', async () => {
  const lines = journalOf(4).toString().split('\n');
  const glued = `${lines[0] ?? ''}\n${lines[1] ?? ''}\n\0\0${lines[2] ?? ''}\n${lines[3] ?? ''}\n`;
  await writeFile(path, glued);
  const { entries, damagedLines } = await readJournal(path);
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(damagedLines).toEqual([3]);
});

it('a line with a right checksum that is not JSON is a damaged line, not an exception', () => {
  const checksum = (crc32.str('{"seq":}') >>> 0).toString(16).padStart(8, '0');
  const bytes = Buffer.from(`{"seq":,"crc":"${checksum}"}\n`);
  expect(parseJournal(bytes)).toMatchObject({ entries: [], damagedLines: [1] });
});
