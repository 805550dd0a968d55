import { WorkbenchError } from '../contract/errors';
import { reduceRun, type RunState } from '../contract/run/run-state';
import { type JournalContent, readJournal, requireEntries } from './journal';
import type { RunFolder } from './run-folder';

/** Throws journal-corrupt, run-folder-unsafe. */
export async function readContent({ journal }: RunFolder): Promise<JournalContent> {
  return readJournal(journal).catch((error: unknown) => {
    if (error instanceof WorkbenchError) throw error;
    throw new WorkbenchError('journal-corrupt', 'The journal cannot be read', {
      where: journal,
      cause: error,
    });
  });
}

/** What the journal says; where the run is from is not known yet. Throws journal-corrupt. */
export function stateIn(content: JournalContent, path: string): RunState {
  requireEntries(content, path);
  const state = content.entries.reduce<RunState | null>(reduceRun, null);
  if (state === null) throw new WorkbenchError('journal-corrupt', 'The journal is empty', { where: path });
  return { ...state, damagedLines: content.damagedLines };
}
