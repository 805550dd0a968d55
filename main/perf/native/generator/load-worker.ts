import { parentPort, workerData } from 'node:worker_threads';
import { toWire, WorkbenchError } from '../../../contract/errors';
import type { FromWorker, LoadJob, ToWorker } from '../seam/load-job';
import { createPacer, LoadGenerator, runPacer } from './load-generator';

/** Bundled entry of the worker thread that generates a level's load, and of its pacer. */
if (parentPort !== null) {
  const port = parentPort;
  const data = workerData as LoadJob | SharedArrayBuffer;
  if (data instanceof SharedArrayBuffer) runPacer(data, port);
  else {
    const post = (message: FromWorker) => {
      port.postMessage(message);
      if (message.type === 'ended' || message.type === 'failed') port.close();
    };
    try {
      const generator = new LoadGenerator(data, {
        post,
        createPacer: (onDue) => createPacer(__filename, onDue),
      });
      port.on('message', (message: ToWorker) => {
        if (message.type === 'stop') generator.stop();
        else if (message.type === 'cut') generator.cut(message.bound, message.succeeded);
        else generator.resume();
      });
      generator.start();
    } catch (error) {
      if (!(error instanceof WorkbenchError)) throw error;
      // A refused request is reported with its remedy.
      post({ type: 'failed', error: toWire(error) });
    }
  }
}
