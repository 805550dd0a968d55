import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftOutText } from '../../../main/contract/run/run-events';
import type { Core } from '../../../main/core';
import { formatJournalLine, parseJournal, stateIn } from '../../../main/store/journal';
import { said } from '../../support/cli-program';
import { completeBodies, journalFixture } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
const runId = entries[0]?.type === 'run-created' ? entries[0].runId : '';

/** The journal, with one of its lines as a version might write it that has more. @param at line, from 1 */
function withNewer(at: number, newer: Readonly<Record<string, unknown>>): Buffer {
  const lines = entries.map((entry) =>
    formatJournalLine(entry.seq === at ? { seq: entry.seq, at: entry.at, ...newer } : entry),
  );
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

const newSource = { type: 'run-created', runId, environment: {}, ofQueue: { address: 'broker:5672' } };
const newRecord = { type: 'energy', joules: 12 };

describe('a line that only a newer version can read', () => {
  it('is not called damaged, and costs nothing else', () => {
    const content = parseJournal(withNewer(4, newRecord));
    expect(content).toMatchObject({ damagedLines: [], newerLines: [4], nextSeq: entries.length + 1 });
    expect(content.entries).toHaveLength(entries.length - 1);
    const text = leftOutText(stateIn(content, 'journal.jsonl'));
    expect(text).toBe(
      'Line 4 of journal.jsonl was written by a newer version of the workbench and left out.',
    );
  });

  it('is damaged as soon as its checksum does not hold', () => {
    const bytes = withNewer(4, newRecord);
    bytes.write('J', bytes.indexOf('joules'));
    expect(parseJournal(bytes)).toMatchObject({ damagedLines: [4], newerLines: [] });
  });

  it('at the beginning says that a newer version wrote the run', () => {
    const content = parseJournal(withNewer(1, newSource));
    expect(() => stateIn(content, 'journal.jsonl')).toThrow(
      expect.objectContaining({ code: 'journal-newer', where: 'journal.jsonl' }) as Error,
    );
  });
});

describe('the list of runs', () => {
  let home = '';
  let core: Core;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'workbench-newer-'));
    await mkdir(join(home, 'runs', runId), { recursive: true });
    core = await createTestCore(home);
  });
  afterEach(async () => {
    await core.close();
    await rm(home, { recursive: true, force: true });
  });
  const write = (bytes: Buffer) => writeFile(join(home, 'runs', runId, 'journal.jsonl'), bytes);

  it('says so of a run with an unknown kind of source', async () => {
    await write(withNewer(1, newSource));
    const { text } = await said(core, 'runs');
    expect(text).toContain(`${runId}: cannot be read: A newer version of the workbench wrote this run`);
    expect(text).not.toContain('damaged');
  });

  it('names a line of a newer version below it, also from the file beside the journal', async () => {
    await write(withNewer(4, newRecord));
    const line = `${runId}: Line 4 of journal.jsonl was written by a newer version`;
    expect((await said(core, 'runs')).text).toContain(line);
    expect((await said(core, 'runs')).text).toContain(line);
  });
});
