import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JournalBody } from '../../main/contract/run/run-events';
import { createRandom } from '../../main/domain/random';
import { formatJournalLine, JournalWriter, parseJournal, readJournal } from '../../main/store/journal';
import { campaignSeed, howMany, isWholeCampaign, printRow } from '../support/campaign';
import { withFlippedBit } from '../support/flip';
import { pointFixture } from '../support/run-state';

const lines = 40;
const newline = 0x0a;

/** What a run writes, in turn; with characters of several bytes and with quotes, so that those are hit too. */
function bodyOf(seq: number): JournalBody {
  const key = seq.toString(16).padStart(32, '0');
  const bodies: JournalBody[] = [
    { type: 'run-started', attempt: seq, pid: 4242 },
    { type: 'step-started', step: 'export', attempt: 1, key },
    { type: 'command', step: 'export', argv: ['python', '-m', 'toolkit', 'ü"\n', '--precision=fp16'] },
    { type: 'measurement', scenario: 'offline', key, point: pointFixture() },
    { type: 'step-finished', step: 'export', key, durationUs: 12_345, facts: [], warnings: ['größer'] },
  ];
  return bodies[seq % bodies.length] ?? { type: 'run-started', attempt: seq, pid: 1 };
}

const journal = Buffer.from(
  Array.from({ length: lines }, (_, index) => {
    const seq = index + 1;
    return `${formatJournalLine({ seq, at: '2026-01-01T00:00:00.000Z', ...bodyOf(seq) })}\n`;
  }).join(''),
);

/** Numbers of the records that a fault in this byte leaves whole: all of them where a newline is hit. */
function wholeRecords(at: number): number[] {
  const hit = journal[at] === newline ? 0 : journal.toString('latin1', 0, at).split('\n').length;
  return Array.from({ length: lines }, (_, index) => index + 1).filter((seq) => seq !== hit);
}

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-flips-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Opens the journal, appends one record and closes it. @returns the record's number. */
async function appendOne(path: string): Promise<number> {
  const { writer } = await JournalWriter.open(path);
  const { seq } = await writer.append({ type: 'run-started', attempt: 1000, pid: 7 });
  await writer.close();
  return seq;
}

const same = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);

/** Turns one bit over, opens, appends, and the same again. @returns what is wrong then, null when nothing is. */
async function appendedTwice(path: string, place: number): Promise<string | null> {
  const damaged = withFlippedBit(journal, place);
  await writeFile(path, damaged);
  const whole = wholeRecords(Math.floor(place / 8));
  const found = parseJournal(damaged);
  const first = found.entries.map(({ seq }) => seq);
  if (!same(first, whole)) return `records ${first.join(' ')} are read`;
  if (found.damagedLines.length === 0) return 'no damaged line is told';
  const appended = [await appendOne(path), await appendOne(path)];
  const after = await readJournal(path);
  const seqs = after.entries.map(({ seq }) => seq);
  if (!same(seqs, [...whole, ...appended])) return `records ${seqs.join(' ')} are read after two appends`;
  if (appended.some((seq) => seq <= lines)) return `the number ${appended.join(' or ')} is given again`;
  if (after.damagedLines.length === 0) return 'no damaged line is told after two appends';
  // Nothing of what was there is taken away, and nothing is made up.
  const bytes = await readFile(path);
  return bytes.subarray(0, damaged.length).equals(damaged) ? null : 'bytes that were there have changed';
}

/** Places of the bits to turn over: all of them, or every bit of one line and some elsewhere. */
function chosenPlaces(): number[] {
  const all = Array.from({ length: journal.length * 8 }, (_, place) => place);
  if (isWholeCampaign) return all;
  const random = createRandom(campaignSeed);
  const ends = [...journal.keys()].filter((at) => journal[at] === newline);
  const line = Math.floor(random() * lines);
  const oneLine = all.slice(((ends[line - 1] ?? -1) + 1) * 8, ((ends[line] ?? 0) + 1) * 8);
  return [...oneLine, ...Array.from({ length: 500 }, () => Math.floor(random() * all.length))];
}

it('one flipped bit costs no record but the one it hits, over two opens with an append each', async () => {
  const places = chosenPlaces();
  const wrong: string[] = [];
  let next = 0;
  const lane = async (name: number) => {
    for (let at = next++; at < places.length; at = next++) {
      const place = places[at] ?? 0;
      const problem = await appendedTwice(join(dir, `${name}.jsonl`), place);
      if (problem !== null) wrong.push(`byte ${Math.floor(place / 8)}, bit ${place % 8}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: howMany(8, 4) }, (_, name) => lane(name)));
  await printRow({
    what: `bits of a journal of ${lines} lines, ${journal.length} bytes, each flipped; then opened and appended to, twice`,
    trials: places.length,
    result: `${wrong.length} with another record lost, a line not reported, or a number given twice`,
  });
  expect(wrong.slice(0, 20)).toEqual([]);
});
