import { parentPort, workerData } from 'node:worker_threads';
import type { LoadJob } from './load-job';
import { LoadGenerator } from './load-generator';

/** Entry of the worker thread that generates one level's load; bundled as a file of its own. */
if (parentPort !== null) {
  const port = parentPort;
  const generator = new LoadGenerator(workerData as LoadJob, (message, transfer) => {
    port.postMessage(message, transfer === undefined ? [] : [...transfer]);
    if (message.type === 'ended' || message.type === 'failed') port.close();
  });
  // The one message there is: ToWorker.
  port.on('message', () => {
    generator.stop();
  });
  generator.start();
}
