import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { formatJournalLine, JournalWriter, parseJournal, readJournal } from '../../../main/store/journal';

const bodies: readonly JournalBody[] = [
  { type: 'run-started', attempt: 1, pid: 7 },
  { type: 'step-started', step: 'export', attempt: 1, key: 'k' },
  { type: 'command', step: 'export', argv: ['python', '-m', 'toolkit', 'ü"\n'] },
  { type: 'step-finished', step: 'export', key: 'k', durationUs: 5, facts: [], warnings: ['w'] },
];

const text = bodies
  .map((body, index) => `${formatJournalLine({ seq: index + 1, at: '2026-01-01T00:00:00.000Z', ...body })}\n`)
  .join('');

describe('parseJournal', () => {
  it('gives a prefix when the file is cut at any byte', () => {
    const bytes = Buffer.from(text);
    const whole = parseJournal(bytes).entries;
    expect(whole).toHaveLength(bodies.length);
    for (let length = 0; length <= bytes.length; length += 1) {
      const { entries, damagedLines, keptBytes } = parseJournal(bytes.subarray(0, length));
      expect(entries).toEqual(whole.slice(0, entries.length));
      expect(damagedLines).toEqual([]);
      expect(keptBytes).toBeLessThanOrEqual(length);
      expect(entries.length).toBe(bytes.subarray(0, length).toString('latin1').split('\n').length - 1);
    }
  });

  it('leaves out an altered line, says which, and keeps the rest', () => {
    const lines = text.split('\n');
    const altered = [lines[0], lines[1]?.replace('"k"', '"x"'), ...lines.slice(2)].join('\n');
    const { entries, damagedLines } = parseJournal(Buffer.from(altered));
    expect(damagedLines).toEqual([2]);
    expect(entries.map((entry) => entry.seq)).toEqual([1, 3, 4]);
  });

  it('ignores repeated lines', () => {
    expect(parseJournal(Buffer.from(text + text)).entries).toEqual(parseJournal(Buffer.from(text)).entries);
  });
});

describe('JournalWriter', () => {
  let dir: string;
  let path: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'journal-'));
    path = join(dir, 'journal.jsonl');
  });
  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  it('keeps the order of concurrent appends and numbers them without gaps', async () => {
    const { writer } = await JournalWriter.open(path);
    await Promise.all(
      Array.from({ length: 50 }, (_, pid) => writer.append({ type: 'run-started', attempt: 1, pid })),
    );
    await writer.close();
    const { entries } = await readJournal(path);
    expect(entries.map((entry) => entry.seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(entries.map((entry) => (entry.type === 'run-started' ? entry.pid : -1))).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  it('cuts a torn last line off and goes on behind the last whole one', async () => {
    await writeFile(path, text);
    await appendFile(path, '{"seq":5,"at":"2026');
    const { writer, content } = await JournalWriter.open(path);
    expect(content.entries).toHaveLength(4);
    const entry = await writer.append({ type: 'run-started', attempt: 2, pid: 9 });
    await writer.close();
    expect(entry.seq).toBe(5);
    const { entries, damagedLines } = await readJournal(path);
    expect(damagedLines).toEqual([]);
    expect(entries).toHaveLength(5);
    expect((await readFile(path, 'utf8')).endsWith('}\n')).toBe(true);
  });
});
