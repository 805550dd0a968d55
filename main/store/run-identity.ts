import { WorkbenchError } from '../contract/errors';
import { readJournal } from './journal';
import { runFolder } from './run-folder';

/** True when the folder is that of this run, as its journal says. */
export async function holdsRun(dir: string, runId: string): Promise<boolean> {
  const content = await readJournal(runFolder(dir).journal).catch(() => null);
  const [first] = content?.entries ?? [];
  return first?.type === 'run-created' && first.runId === runId;
}

/**
 * A run is known by the name of its folder, and its journal names the same: of a copied or renamed folder every action
 * would otherwise reach the run that it was copied from. Throws run-unknown.
 */
export function requireSameRun(inJournal: string, ofFolder: string, dir: string): void {
  if (inJournal === ofFolder) return;
  throw new WorkbenchError('run-unknown', `The folder ${ofFolder} is a copy of the run ${inJournal}`, {
    where: dir,
    remedy: `Rename the folder to ${inJournal} if that run no longer exists; otherwise delete the copy.`,
  });
}
