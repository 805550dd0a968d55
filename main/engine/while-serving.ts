import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, WorkbenchError } from '../contract/errors';
import { linkedAbort } from '../platform/abort';
import type { ServerExit, ServerHandle } from './engine';

/** A client notices the end of a server before the server's exit is told; how long that is waited for. */
const exitNoticeMs = 2000;

const ending = (exit: ServerExit): string => {
  if (exit.outOfMemory === true) return 'was killed because it reached its memory limit';
  return exit.exitCode === null
    ? `was ended by ${exit.signal ?? 'a signal'}`
    : `ended with exit code ${exit.exitCode}`;
};

/**
 * Work that needs the server: it is aborted when the server ends, and whatever it then says is told as what it is.
 * Throws server-gone with the server's last lines, or the work's own error.
 */
export async function whileServing<Value>(
  server: ServerHandle,
  signal: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { controller, dispose } = linkedAbort(signal);
  const gone: { exit: ServerExit | null } = { exit: null };
  const done = new AbortController();
  const watch = server.exited.then((exit) => {
    if (done.signal.aborted) return;
    gone.exit = exit;
    controller.abort();
  });
  const failIfGone = () => {
    if (gone.exit === null) return;
    const code = gone.exit.outOfMemory === true ? 'out-of-memory' : 'server-gone';
    throw new WorkbenchError(code, `Triton ${ending(gone.exit)} ${what}`, {
      details: gone.exit.tail.join('\n'),
    });
  };
  try {
    const value = await work(controller.signal);
    failIfGone();
    return value;
  } catch (error) {
    const { code } = toWire(error);
    if (code === 'server-unreachable' || code === 'server-gone') {
      await Promise.race([watch, sleep(exitNoticeMs)]);
    }
    failIfGone();
    throw error;
  } finally {
    done.abort();
    dispose();
  }
}
