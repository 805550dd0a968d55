import { Worker } from 'node:worker_threads';
import { toWire, type WireError } from '../contract/errors';

/** To the reader's process. */
export interface ReaderJob {
  readonly name: string;
  readonly input: unknown;
  /** Resident limit in MiB, above which it ends itself. */
  readonly memoryMiB: number;
}

/** From the process: ready once, then one answer per job. */
export type ReaderMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly value: unknown; readonly residentMiB: number }
  | { readonly type: 'failure'; readonly error: WireError; readonly residentMiB: number };

/** Signal by which the process ends itself above its memory; nothing else sends it. */
export const memorySignal = 'SIGUSR2';

/** Interval of memory checks; allocations in between exceed the limit. */
const guardIntervalMs = 25;

/**
 * A separate thread, as a hanging reader blocks the main one. Ends the process above its memory, which V8 options do not
 * bound for buffers, and when the workbench is gone.
 */
const guard = `
const { workerData } = require('node:worker_threads');
const { shared, parent, signal, intervalMs } = workerData;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  const limitMiB = Atomics.load(shared, 0);
  if (limitMiB > 0 && process.memoryUsage.rss() / 1048576 > limitMiB) process.kill(process.pid, signal);
}, intervalMs);
`;

function startGuard(): (memoryMiB: number) => void {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(guard, {
    eval: true,
    workerData: { shared, parent: process.ppid, signal: memorySignal, intervalMs: guardIntervalMs },
  });
  thread.unref();
  return (memoryMiB) => {
    Atomics.store(shared, 0, memoryMiB);
  };
}

const residentMiB = (): number => process.memoryUsage.rss() / 2 ** 20;

const send = (message: ReaderMessage) => {
  process.send?.(message);
};

/** Answers jobs until the workbench closes the channel; thrown errors are returned. */
export function serveReaders(table: object): void {
  const readers = new Map<string, unknown>(Object.entries(table));
  const setLimit = startGuard();
  const answer = async ({ name, input, memoryMiB }: ReaderJob): Promise<void> => {
    setLimit(memoryMiB);
    const reader = readers.get(name) as ((given: unknown) => unknown) | undefined;
    try {
      if (reader === undefined) throw new Error(`There is no reader "${name}"`);
      send({ type: 'answer', value: await reader(input), residentMiB: residentMiB() });
    } catch (error) {
      send({ type: 'failure', error: toWire(error), residentMiB: residentMiB() });
    }
  };
  process.on('message', (job: ReaderJob) => void answer(job));
  process.on('disconnect', () => {
    process.exit(0);
  });
  // Ctrl-C reaches the whole group; the workbench decides what ends.
  process.on('SIGINT', () => undefined);
  send({ type: 'ready' });
}
