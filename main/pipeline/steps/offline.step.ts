import type { Step } from '../step';
import { measuringInputs, repeatInputs, sweep } from '../sweep';
import { sweepCommands } from '../sweep-commands';

/** Static batching: one request at a time, one level a batch size of the client. */
export const offlineStep: Step = {
  id: 'offline',
  kind: 'record',
  needs: ['images', 'accuracy', 'profile-data', 'deploy'],
  deadlineS: 6 * 3600,
  inputs: (run) =>
    Promise.resolve([measuringInputs(run), run.spec.performance.batchSizes, ...repeatInputs(run)]),
  commands: (run) => sweepCommands(run, 'offline'),
  async run(context) {
    return sweep(context, 'offline');
  },
};
