import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry } from '../../../main/contract/run-events';
import { formatJournalLine } from '../../../main/store/journal-line';
import type { TestHome } from './app';

/** A run folder with this journal, in the real form: what a dead workbench leaves behind. */
export async function placeRun(
  home: TestHome,
  entries: readonly JournalEntry[],
): Promise<{ readonly runId: string; readonly dir: string }> {
  const [first] = entries;
  if (first?.type !== 'run-created') throw new Error('The journal does not begin with the creation of a run');
  const dir = join(home.path, 'runs', first.runId);
  await mkdir(dir, { recursive: true });
  await writeFile(
    join(dir, 'journal.jsonl'),
    entries.map((entry) => `${formatJournalLine(entry)}\n`).join(''),
  );
  return { runId: first.runId, dir };
}
