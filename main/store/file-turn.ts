import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { WorkbenchError } from '../contract/errors';
import { makeFolder } from '../platform/make-folder';
import { takeFileLease } from './file-lease';

/** Longer than a change takes on a slow disk. */
const turnMs = 10_000;

/**
 * One change at a time, of all processes, to what the file is: the person may have put a link there.
 * @param what "the settings", for the error when the turn does not come: file-unwritable.
 */
export async function withFileTurn<Result>(
  file: string,
  what: string,
  work: (place: string) => Promise<Result>,
): Promise<Result> {
  await makeFolder(dirname(file));
  const place = await realpath(file).catch(() => file);
  const end = Date.now() + turnMs;
  for (;;) {
    const { release } = await takeFileLease(`${file}.lease`, `a change of ${what}`);
    if (release !== undefined) {
      try {
        return await work(place);
      } finally {
        await release();
      }
    }
    if (Date.now() > end) {
      throw new WorkbenchError('file-unwritable', `Another process is changing ${what}`, {
        where: file,
        remedy: 'Try again when it has ended.',
      });
    }
    await setTimeout(5 + Math.random() * 20);
  }
}
