import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  formatJournalLine,
  JournalWriter,
  mostDamagedLines,
  mostJournalBytes,
  parseJournal,
  readJournal,
} from '../../../main/store/journal';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-bounds-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const record = formatJournalLine({ seq: 1, at: '2026-01-01T00:00:00.000Z', type: 'gate-overridden' });
const withDamage = (lines: number) => Buffer.from(`${record}\n${'a\n'.repeat(lines)}`);

describe('a journal of damaged lines', () => {
  it('is read up to a number that no accident leaves', () => {
    const { entries, damagedLines } = parseJournal(withDamage(mostDamagedLines));
    expect(entries).toHaveLength(1);
    expect(damagedLines).toHaveLength(mostDamagedLines);
  });

  it.each([mostDamagedLines + 1, 16_000_000])('is refused with %i of them, in one look', (lines) => {
    expect(() => parseJournal(withDamage(lines))).toThrow(`More than ${mostDamagedLines} lines are damaged`);
  });
});

describe('a journal larger than any', () => {
  it('is refused before it is read, by readers and by the writer, which leaves it as it is', async () => {
    const path = join(dir, 'journal.jsonl');
    await writeFile(path, `${record}\n`);
    await truncate(path, mostJournalBytes + 1);
    const refused = { code: 'journal-corrupt', where: path };
    await expect(readJournal(path)).rejects.toMatchObject(refused);
    await expect(JournalWriter.open(path)).rejects.toMatchObject(refused);
    await truncate(path, Buffer.byteLength(record) + 1);
    expect((await readJournal(path)).entries).toHaveLength(1);
  });
});
