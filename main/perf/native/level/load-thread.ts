import { Worker } from 'node:worker_threads';

/** So long an idle thread waits for another level. */
const idleMs = 3000;

interface IdleThread {
  readonly worker: Worker;
  readonly timer: NodeJS.Timeout;
}

/** By bundled entry. */
const idle = new Map<string, IdleThread>();

const events = ['message', 'error', 'exit'] as const;

/** Not all of its listeners: by its own ones Node knows whether it is listened to. */
function quiet(worker: Worker): void {
  for (const event of events) worker.removeAllListeners(event);
}

function forget(workerFile: string, { worker, timer }: IdleThread): void {
  clearTimeout(timer);
  quiet(worker);
  if (idle.get(workerFile)?.worker === worker) idle.delete(workerFile);
}

/** A thread of the load generator, which waits for its first level; the one of the last level where that was kept. */
export function openLoadThread(workerFile: string): Worker {
  const kept = idle.get(workerFile);
  if (kept === undefined) return new Worker(workerFile, { workerData: null });
  forget(workerFile, kept);
  kept.worker.ref();
  return kept.worker;
}

/**
 * Keeps a thread whose level has ended for one that follows at once, which then begins without a start and with compiled
 * code. It neither keeps the process alive nor stays for long.
 */
export async function keepLoadThread(workerFile: string, worker: Worker): Promise<void> {
  quiet(worker);
  if (idle.has(workerFile)) {
    await worker.terminate();
    return;
  }
  const timer = setTimeout(() => {
    forget(workerFile, thread);
    void worker.terminate();
  }, idleMs);
  const thread: IdleThread = { worker, timer };
  idle.set(workerFile, thread);
  const lost = (): void => forget(workerFile, thread);
  worker.once('error', lost);
  worker.once('exit', lost);
  timer.unref();
  worker.unref();
}
