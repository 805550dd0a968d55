import { measuringInputs, sweep } from '../sweep';
import type { Step } from '../step';

/** Dynamic batching: many requests at a time, one level a concurrency. */
export const onlineStep: Step = {
  id: 'online',
  kind: 'record',
  needs: ['images', 'offline', 'deploy'],
  deadlineS: 6 * 3600,
  inputs: (run) => {
    const { concurrency, onlineBatchSize } = run.spec.performance;
    return Promise.resolve([measuringInputs(run), concurrency, onlineBatchSize]);
  },
  async run(context) {
    return sweep(context, 'online');
  },
};
