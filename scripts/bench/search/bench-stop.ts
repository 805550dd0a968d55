import { setMaxListeners } from 'node:events';

/** Aborted by Ctrl-C or a kill; the bench then ends what it started and writes what it has. */
export function stopOfBench(): AbortSignal {
  const controller = new AbortController();
  // Whatever is measured or served listens to it.
  setMaxListeners(0, controller.signal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error('Interrupted')));
  }
  return controller.signal;
}

/** Works until it is done or stopped. @returns whether it was stopped. Throws what the work throws by itself. */
export async function untilStopped(signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return signal.aborted;
}
