import { exists } from '../../platform/files';
import type { OpenedRun } from '../run-content';
import type { JobRuns } from './job-runs';

type HandedRun = Pick<OpenedRun, 'runId' | 'folder' | 'close'>;

/** What another process has asked of the run since it was opened. */
async function askedOf({ folder }: HandedRun): Promise<'cancel' | 'pause' | null> {
  if (await exists(folder.cancelRequest)) return 'cancel';
  return (await exists(folder.pauseRequest)) ? 'pause' : null;
}

/**
 * Gives back runs that were handed over, and does what other processes asked of them meanwhile: a busy cluster takes its
 * time to take a job, and the job drops requests that are older than itself.
 */
export async function closeHandedOver(
  jobs: Pick<JobRuns, 'cancel' | 'pause'>,
  runs: readonly HandedRun[],
): Promise<void> {
  for (const run of runs) {
    const how = await askedOf(run).catch(() => null);
    await run.close();
    // A cluster that is away keeps the job, and the list of runs says so.
    if (how !== null) await jobs[how](run.runId).catch(() => undefined);
  }
}
