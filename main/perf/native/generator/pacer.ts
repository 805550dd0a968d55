import type { MessagePort } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';

/** Calls back at times that the timers of an event loop, with their whole milliseconds, cannot keep. */
export interface Pacer {
  /** The callback comes once at this time, or at once when it is over; a later call replaces it. */
  wakeAt(dueUs: number): void;
  close(): void;
}

/** Shared between the threads: a generation number, and at byte 8 the time in nanoseconds of the system's monotonic clock. */
const sharedBytes = 16;
const dueAt = 1;

const systemNs = (): number => Number(process.hrtime.bigint());

/**
 * A thread of its own that sleeps until a request is due and then wakes this one: about 0.1 ms after the time, at the
 * cost of one wake-up a request. @param workerFile its entry, which calls {@link runPacer}.
 */
export function createPacer(workerFile: string, onDue: () => void): Pacer {
  const shared = new SharedArrayBuffer(sharedBytes);
  const signal = new Int32Array(shared, 0, 1);
  const due = new Float64Array(shared);
  due[dueAt] = Infinity;
  const thread = new Worker(workerFile, { workerData: shared });
  thread.on('message', onDue);
  return {
    wakeAt: (dueUs) => {
      due[dueAt] = systemNs() + (dueUs - performance.now() * 1000) * 1000;
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    },
    close: () => {
      void thread.terminate();
    },
  };
}

/** The thread's side; returns never, the thread is terminated. */
export function runPacer(shared: SharedArrayBuffer, port: Pick<MessagePort, 'postMessage'>): void {
  const signal = new Int32Array(shared, 0, 1);
  const due = new Float64Array(shared);
  for (;;) {
    const generation = Atomics.load(signal, 0);
    const leftMs = ((due[dueAt] ?? Infinity) - systemNs()) / 1e6;
    // A new time changes the generation: the wait then ends at once or has not begun.
    if (leftMs > 0 && Atomics.wait(signal, 0, generation, leftMs) !== 'timed-out') continue;
    port.postMessage(null);
    Atomics.wait(signal, 0, generation);
  }
}
