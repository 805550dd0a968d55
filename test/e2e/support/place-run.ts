import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry } from '../../../main/contract/run/run-events';
import { homeLayout } from '../../../main/platform/layout';
import { formatJournalLine } from '../../../main/store/journal';
import { RunKey } from '../../../main/store/run-key';
import { sealedCreation } from '../../../main/store/run-seals';
import type { TestHome } from './app';

/** A run folder of this home with this journal, in the real form: what a dead workbench leaves behind. */
export async function placeRun(
  home: TestHome,
  entries: readonly JournalEntry[],
): Promise<{ readonly runId: string; readonly dir: string }> {
  const [first] = entries;
  if (first?.type !== 'run-created') throw new Error('The journal does not begin with the creation of a run');
  const dir = join(home.path, 'runs', first.runId);
  await mkdir(dir, { recursive: true });
  const { seq, at, ...created } = first;
  const sealed = await sealedCreation(new RunKey(homeLayout(home.path).runKey), created);
  await writeFile(
    join(dir, 'journal.jsonl'),
    [{ seq, at, ...sealed }, ...entries.slice(1)].map((entry) => `${formatJournalLine(entry)}\n`).join(''),
  );
  return { runId: first.runId, dir };
}
