import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatJournalLine } from '../../../main/store/journal';
import { findStudy } from '../../../main/studies/find-studies';
import { StudyStore } from '../../../main/studies/study-store';
import { rejection } from '../../support/rejection';
import { soakStrategy } from '../../support/soaked';

let root: string;
let studies: StudyStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-find-studies-'));
  studies = new StudyStore(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const stateOf = async (name: string) => (await findStudy({ studies }, [], name))?.summary.state;

it('a study of an unknown kind, or of a kind with an unknown subject, is of a newer version', async () => {
  const planned = { type: 'study-planned' as const };
  const kinds = {
    night: { kind: 'energy', watts: 300 },
    soaked: { ...soakStrategy(), subject: { kind: 'queue', address: 'broker:5672' } },
  };
  for (const [name, strategy] of Object.entries(kinds)) {
    await studies.append(name, {
      ...planned,
      spec: { name, strategy: { ...strategy, trials: [] }, hosts: null },
    });
    expect(await stateOf(name), name).toBe('newer');
  }
  const spec = { name: 'known', strategy: { ...soakStrategy(), trials: [] }, hosts: null };
  await studies.append('known', { ...planned, spec });
  expect(await stateOf('known')).toBe('planned');
});

it('one whose first line is whole and unknown is of a newer version, and one with half a line is damaged', async () => {
  const at = '2026-11-29T06:00:00.000Z';
  const lines = {
    newer: formatJournalLine({ seq: 1, at, type: 'study-imported', from: 'elsewhere' }),
    torn: '{"seq":1,"at":"2026-11-29T06:00',
  };
  for (const [name, line] of Object.entries(lines)) {
    await mkdir(studies.folderOf(name).dir, { recursive: true });
    await writeFile(studies.folderOf(name).journal, `${line}\n`);
  }
  expect(await stateOf('newer')).toBe('newer');
  expect(await rejection(studies.load('newer'))).toMatchObject({ code: 'journal-newer' });
  expect(await stateOf('torn')).toBe('damaged');
});
