import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Core } from '../../../../main/core';
import { formatJournalLine } from '../../../../main/store/journal';
import { said } from '../../../support/cli-program';
import { completeBodies, journalFixture } from '../../../support/run-state';
import { createTestCore } from '../../../support/test-core';

const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
const runId = entries[0]?.type === 'run-created' ? entries[0].runId : '';
const damage = 'Line 4 of journal.jsonl is damaged.';

let home = '';
let core: Core;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-damaged-'));
  const dir = join(home, 'runs', runId);
  await mkdir(dir, { recursive: true });
  const text = entries.map((entry) => `${formatJournalLine(entry)}\n`);
  // An invalid byte in the place of a character: what a flipped bit leaves.
  const bytes = Buffer.from(text.join(''));
  bytes.writeUInt8(0xff, Buffer.byteLength(text.slice(0, 3).join('')) + 20);
  await writeFile(join(dir, 'journal.jsonl'), bytes);
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

it('"runs" names the damaged lines below the list, also when the row comes from the file beside the journal', async () => {
  expect((await said(core, 'runs')).text).toContain(`${runId}: ${damage}`);
  expect((await said(core, 'runs')).text).toContain(`${runId}: ${damage}`);
});

it('"show" names them', async () => {
  expect((await said(core, 'show', runId)).text).toContain(`  ${damage}`);
});

it('the JSON of both has their numbers', async () => {
  const listed = await said(core, 'runs', '--json');
  expect(listed.documents).toMatchObject([{ runs: [{ runId, damagedLines: [4] }], unreadable: [] }]);
  const shown = await said(core, 'show', runId, '--json');
  expect(shown.documents).toMatchObject([{ runId, damagedLines: [4] }]);
});

it('a run goes on behind them, and they are still named', async () => {
  await core.handlers['runs.setBudget']({ runId, p99BudgetMs: 20 });
  const { state } = await core.handlers['runs.show']({ runId });
  expect(state).toMatchObject({ p99BudgetMs: 20, damagedLines: [4], seq: entries.length + 1 });
});
