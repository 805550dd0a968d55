import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import type { Core } from '../../../main/core';
import { formatJournalLine } from '../../../main/store/journal';
import { completeBodies, journalFixture } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-upkeep-'));
});
afterEach(async () => {
  await core?.close();
  await rm(home, { recursive: true, force: true });
});

/** A run that was finished long ago. */
async function oldRun(): Promise<string> {
  const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
  const [created] = entries;
  const runId = created?.type === 'run-created' ? created.runId : '';
  await mkdir(join(home, 'runs', runId), { recursive: true });
  const lines = entries.map((entry) => `${formatJournalLine(entry)}\n`);
  await writeFile(join(home, 'runs', runId, 'journal.jsonl'), lines.join(''));
  return runId;
}

const nextEvent = (of: Core, type: CoreEvent['type']): Promise<CoreEvent> =>
  new Promise((resolve) => {
    of.subscribe((event) => {
      if (event.type === type) resolve(event);
    });
  });

it('tells a window which runs the retention moved to the trash, and each can be brought back', async () => {
  const runId = await oldRun();
  await writeFile(join(home, 'settings.json'), '{"runs.keepDays": 1}');
  core = await createTestCore(home, { follow: true });
  expect(await nextEvent(core, 'runs-retired')).toEqual({ type: 'runs-retired', runIds: [runId] });
  expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
  await core.handlers['runs.restore']({ runId });
  expect((await core.handlers['runs.all'](undefined)).runs.map((run) => run.runId)).toEqual([runId]);
});

it('leaves the runs where they are when the window is closed at once', async () => {
  const runId = await oldRun();
  await writeFile(join(home, 'settings.json'), '{"runs.keepDays": 1}');
  core = await createTestCore(home, { follow: true });
  await core.close();
  expect((await readdir(join(home, 'runs'))).filter((name) => !name.startsWith('.'))).toEqual([runId]);
});
