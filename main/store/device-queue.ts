import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../contract/errors';
import { makeFolder, writeFileAtomic } from '../platform/files';
import { keepAlive, type LeaseHolder, ownHolder, readLiveHolder, takeFileLease } from './file-lease';

export interface DeviceTurn {
  /** Folder with the queues of all devices. */
  readonly root: string;
  /** See `deviceOf`. */
  readonly device: string;
  /** Run id, or description of other work. */
  readonly what: string;
  readonly signal: AbortSignal;
  /** Called once per holder. */
  readonly onWaiting: (forWhat: string) => void | Promise<void>;
}

const pollMs = 200;
const ticketPattern = /^\d{16}-[0-9a-f]{12}\.ticket$/;

/** The live holder of the first earlier ticket; removes tickets of the dead. */
async function nextInLine(folder: string, own: string): Promise<LeaseHolder | null> {
  const tickets = (await readdir(folder)).filter((name) => ticketPattern.test(name)).sort();
  for (const ticket of tickets) {
    if (ticket >= own) return null;
    const path = join(folder, ticket);
    const holder = await readLiveHolder(path);
    if (holder !== null) return holder;
    await rm(path, { force: true });
  }
  return null;
}

/**
 * Exclusive use of a device across processes, first come first served. Tickets only order; a lease decides. Dead
 * processes do not block.
 * @returns the release. Throws cancelled.
 */
export async function takeDevice(turn: DeviceTurn): Promise<() => Promise<void>> {
  const { signal } = turn;
  const folder = join(turn.root, encodeURIComponent(turn.device));
  const ticket = `${String(Date.now()).padStart(16, '0')}-${randomBytes(6).toString('hex')}.ticket`;
  const reported = { last: '' };
  let leave = () => rm(join(folder, ticket), { force: true });
  try {
    await makeFolder(folder);
    const content = JSON.stringify(ownHolder(turn.what));
    await writeFileAtomic(join(folder, ticket), content);
    // Processes that cannot look this one up judge by the ticket's age.
    leave = keepAlive(join(folder, ticket), content);
    for (;;) {
      if (signal.aborted) {
        throw new WorkbenchError('cancelled', `Cancelled while waiting for ${turn.device}`);
      }
      const ahead = await nextInLine(folder, ticket);
      const lease = join(folder, 'lease.json');
      const { release, holder } =
        ahead === null ? await takeFileLease(lease, turn.what) : { holder: await readLiveHolder(lease) };
      if (release !== undefined) return release;
      const forWhat = (holder ?? ahead)?.what;
      if (forWhat !== undefined && forWhat !== reported.last) {
        reported.last = forWhat;
        await turn.onWaiting(forWhat);
      }
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await leave().catch(() => undefined);
  }
}
