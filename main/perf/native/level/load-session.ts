import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { fromWire, WorkbenchError } from '../../../contract/errors';
import type { LoadJob } from '../seam/load-job';
import type { FromWorker, LoadTotals, RecordedWindow, ToWorker } from '../seam/worker-messages';

let sessions = 0;

/**
 * V8 marks and compacts a heap that hardly grows, some seconds after its start and several times over: while a level is
 * measured that is load which the server feels, for memory that nobody misses. Heaps of threads that start from now on
 * are left alone, until all that called it have called what it returns.
 */
function withoutGcPauses(): () => void {
  sessions += 1;
  if (sessions === 1) setFlagsFromString('--no-memory-reducer');
  return () => {
    sessions -= 1;
    if (sessions === 0) setFlagsFromString('--memory-reducer');
  };
}

interface LoadSessionInput {
  /** Bundled entry of the worker thread. */
  readonly workerFile: string;
  /** The bytes of its samples go over to the thread: they are gone here. */
  readonly job: LoadJob;
  readonly signal: AbortSignal;
  /**
   * The time of the warm-up, or of a window, is over. Resolves with how many of the requests the server has counted as
   * successful since before the first of them; null: not known. The window ends with the last of these.
   */
  readonly onBound: () => Promise<number | null>;
  /** May call `stop`; windows keep coming until it does. */
  readonly onWindow: (window: RecordedWindow, stop: () => void) => void;
  /** Registers the shared memory again; the load goes on when it is done. */
  readonly onRegionsLost: () => Promise<void>;
}

/** The memory of the samples that is theirs alone: of a small file it may be shared with others. */
function ownMemory({ tensors, outputChecks }: LoadJob): ArrayBuffer[] {
  const samples = [...tensors, ...(outputChecks?.expected ?? [])].flatMap((tensor) => tensor.samples);
  const own = samples.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(own)];
}

/**
 * One level's load in a worker thread; resolves when all answers are in and the connections are closed.
 * Throws what the load fails with, cancelled at once on abort, and load-tool-failed when the thread itself dies.
 */
export async function runLoadSession(input: LoadSessionInput): Promise<LoadTotals> {
  const cancelled = () => new WorkbenchError('cancelled', 'Measuring was cancelled');
  if (input.signal.aborted) throw cancelled();
  const loud = withoutGcPauses();
  const worker = new Worker(input.workerFile, {
    workerData: input.job,
    transferList: ownMemory(input.job),
  });
  const tell = (message: ToWorker) => {
    worker.postMessage(message);
  };
  const stop = () => {
    tell({ type: 'stop' });
  };
  let onAbort: () => void = () => undefined;
  try {
    return await new Promise<LoadTotals>((resolve, reject) => {
      onAbort = () => {
        reject(cancelled());
      };
      input.signal.addEventListener('abort', onAbort, { once: true });
      worker.on('message', (message: FromWorker) => {
        try {
          switch (message.type) {
            case 'bound':
              input.onBound().then((succeeded) => {
                tell({ type: 'cut', bound: message.bound, succeeded });
              }, reject);
              break;
            case 'window':
              input.onWindow(message.window, stop);
              break;
            case 'regions-lost':
              input.onRegionsLost().then(() => {
                tell({ type: 'repaired' });
              }, reject);
              break;
            case 'ended':
              resolve(message.totals);
              break;
            case 'failed':
              reject(fromWire(message.error));
              break;
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      worker.once('error', (error: Error) => {
        reject(
          new WorkbenchError('load-tool-failed', `The load generator failed: ${error.message}`, {
            cause: error,
          }),
        );
      });
      worker.once('exit', (code) => {
        reject(new WorkbenchError('load-tool-failed', `The load generator ended with exit code ${code}`));
      });
    });
  } finally {
    input.signal.removeEventListener('abort', onAbort);
    // Closes what is still open of the thread: connections, timers.
    await worker.terminate();
    loud();
  }
}
