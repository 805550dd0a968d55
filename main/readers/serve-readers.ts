import { Worker } from 'node:worker_threads';
import { toWire, type WireError } from '../contract/errors';

/** To the reader's process: one job at a time. */
export interface ReaderJob {
  readonly name: string;
  readonly input: unknown;
  /** Resident memory of the process, MiB, above which it ends itself. */
  readonly memoryMiB: number;
}

/** From it: first that it can be asked, then one answer for each job. */
export type ReaderMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly value: unknown; readonly residentMiB: number }
  | { readonly type: 'failure'; readonly error: WireError; readonly residentMiB: number };

/** The signal by which the process ends itself above its memory; nothing else sends it. */
export const memorySignal = 'SIGUSR2';

/** Memory is looked at this often: what is taken in between comes on top of the limit. */
const guardIntervalMs = 25;

/**
 * In a thread of its own, as a reader that hangs holds the main one: ends the process above its memory, which no option of
 * V8 bounds for buffers, and when the workbench is gone.
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

/** Answers jobs until the workbench closes the channel. Everything that a reader throws goes back as an error. */
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
  // Ctrl-C goes to the whole group; the workbench decides what it ends.
  process.on('SIGINT', () => undefined);
  send({ type: 'ready' });
}
