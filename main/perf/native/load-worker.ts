import { parentPort, workerData } from 'node:worker_threads';
import type { LoadJob } from './load-job';
import { LoadGenerator } from './load-generator';
import { createPacer, runPacer } from './pacer';
import type { ToWorker } from './worker-messages';

/** Entry of the worker thread that generates one level's load, and of its clock; bundled as a file of its own. */
if (parentPort !== null) {
  const port = parentPort;
  const data = workerData as LoadJob | SharedArrayBuffer;
  if (data instanceof SharedArrayBuffer) runPacer(data, port);
  else {
    const generator = new LoadGenerator(data, {
      post: (message) => {
        port.postMessage(message);
        if (message.type === 'ended' || message.type === 'failed') port.close();
      },
      createPacer: (onDue) => createPacer(__filename, onDue),
    });
    port.on('message', (message: ToWorker) => {
      if (message.type === 'stop') generator.stop();
      else generator.resume();
    });
    generator.start();
  }
}
