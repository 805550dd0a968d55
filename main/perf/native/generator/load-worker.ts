import { parentPort, workerData } from 'node:worker_threads';
import { toWire, WorkbenchError } from '../../../contract/errors';
import type { FromWorker, LoadJob, ToWorker } from '../seam/load-job';
import { createPacer, LoadGenerator, runPacer } from './load-generator';

/** Bundled entry of the worker thread that generates the load of levels, one after the other, and of its pacer. */
if (parentPort !== null) {
  const port = parentPort;
  const data = workerData as SharedArrayBuffer | null;
  if (data instanceof SharedArrayBuffer) runPacer(data, port);
  else {
    const post = (message: FromWorker) => {
      port.postMessage(message);
    };
    const begin = (job: LoadJob): LoadGenerator | null => {
      try {
        const made = new LoadGenerator(job, {
          post,
          createPacer: (onDue) => createPacer(__filename, onDue),
        });
        made.start();
        return made;
      } catch (error) {
        if (!(error instanceof WorkbenchError)) throw error;
        // A refused request is reported with its remedy.
        post({ type: 'failed', error: toWire(error) });
        return null;
      }
    };
    let generator: LoadGenerator | null = null;
    port.on('message', (message: ToWorker) => {
      if (message.type === 'begin') generator = begin(message.job);
      else if (message.type === 'stop') generator?.stop();
      else if (message.type === 'cut') generator?.cut(message.bound, message.succeeded);
      else generator?.resume();
    });
  }
}
