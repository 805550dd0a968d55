import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { LeaseHolder } from './file-lease';
import { isForeignLease, readLiveHolder, takeFileLease } from './file-lease';

/** Name inside the run folder; its time is the holder's last sign of life. */
export const leaseFile = 'lease.json';

/** Of a folder that is made and removed while it is held, as a deployment's: beside it. */
export const leaseBeside = (dir: string) => `${dir}.lease`;

const leasePath = (runDir: string) => join(runDir, leaseFile);

/** The live process that holds the run; null when nobody does. A dead holder's lease counts as none. */
export function leaseHolder(runDir: string): Promise<LeaseHolder | null> {
  return readLiveHolder(leasePath(runDir));
}

/** True where the run was last held on another machine or in another PID namespace, by a live process or a dead one. */
export function isHeldElsewhere(runDir: string): Promise<boolean> {
  return isForeignLease(leasePath(runDir));
}

/** Who holds a run, for an error: `Process 12` or `Process 12 on host`. */
export function holderText({ pid, host }: LeaseHolder): string {
  return host === undefined ? `Process ${pid}` : `Process ${pid} on ${host}`;
}

/**
 * Takes the run for this process: one writer a run, whatever number of windows and CLIs.
 * @returns the release. Throws run-busy while a live process holds it.
 */
export async function acquireLease(runDir: string): Promise<() => Promise<void>> {
  const { release, holder } = await takeFileLease(leasePath(runDir));
  if (release !== undefined) return release;
  const message =
    holder === null
      ? 'Another process started on this run at the same time'
      : `${holderText(holder)} is working on this run`;
  throw new WorkbenchError('run-busy', message, { where: runDir });
}
