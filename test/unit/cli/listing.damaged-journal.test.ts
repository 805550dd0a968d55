import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addListing } from '../../../main/cli/listing';
import type { Core } from '../../../main/core';
import { formatJournalLine } from '../../../main/store/journal';
import { completeBodies, journalFixture } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

const entries = journalFixture([...completeBodies(), { type: 'run-finished', outcome: 'done' }]);
const runId = entries[0]?.type === 'run-created' ? entries[0].runId : '';
const said = 'Line 4 of journal.jsonl is damaged.';

let home = '';
let core: Core;
let lines: string[] = [];
let documents: unknown[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-damaged-'));
  lines = [];
  documents = [];
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

async function command(...args: readonly string[]): Promise<string> {
  const program = new Command();
  addListing(program, {
    core: () => Promise.resolve(core),
    output: ({ json = false }) => ({
      json,
      live: false,
      rewrite: () => undefined,
      clearScreen: () => undefined,
      say: (line) => lines.push(line),
      document: (value) => documents.push(value),
    }),
    exit: () => undefined,
  });
  await program.parseAsync(args, { from: 'user' });
  return lines.join('\n');
}

it('"runs" names the damaged lines below the list, also when the row comes from the file beside the journal', async () => {
  expect(await command('runs')).toContain(`${runId}: ${said}`);
  lines = [];
  expect(await command('runs')).toContain(`${runId}: ${said}`);
});

it('"show" names them', async () => {
  expect(await command('show', runId)).toContain(`  ${said}`);
});

it('the JSON of both has their numbers', async () => {
  await command('runs', '--json');
  await command('show', runId, '--json');
  expect(documents).toMatchObject([
    { runs: [{ runId, damagedLines: [4] }], unreadable: [] },
    { runId, damagedLines: [4] },
  ]);
});

it('a run goes on behind them, and they are still named', async () => {
  await core.setBudget(runId, 20);
  const { state } = await core.getRun(runId);
  expect(state).toMatchObject({ p99BudgetMs: 20, damagedLines: [4], seq: entries.length + 1 });
});
