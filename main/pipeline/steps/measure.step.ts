import { measuringInputs, repeatInputs } from '../measure/level-keys';
import { sweep } from '../measure/run-levels';
import type { Step } from '../step';
import { sweepCommands } from '../sweep-commands';

/** Dynamic batching: many requests at a time, one level a concurrency or a request rate. */
export const onlineStep: Step = {
  id: 'online',
  kind: 'record',
  needs: ['images', 'offline', 'deploy'],
  deadlineS: 6 * 3600,
  inputs: (run) => {
    const { performance } = run.spec;
    const { concurrency, onlineBatchSize, requestRates, search, latencyThresholdMs } = performance;
    return Promise.resolve([
      measuringInputs(run, 'online'),
      concurrency,
      onlineBatchSize,
      // Where they are in use: earlier runs keep their keys.
      ...(requestRates.length === 0 ? [] : [{ requestRates }]),
      ...(search === 'none' ? [] : [{ search, latencyThresholdMs }]),
      ...repeatInputs(run),
    ]);
  },
  commands: (run) => sweepCommands(run, 'online'),
  async run(context) {
    return sweep(context, 'online');
  },
};

/** Static batching: one request at a time, one level a batch size of the client. */
export const offlineStep: Step = {
  id: 'offline',
  kind: 'record',
  needs: ['images', 'accuracy', 'profile-data', 'deploy'],
  deadlineS: 6 * 3600,
  inputs: (run) =>
    Promise.resolve([measuringInputs(run, 'offline'), run.spec.performance.batchSizes, ...repeatInputs(run)]),
  commands: (run) => sweepCommands(run, 'offline'),
  async run(context) {
    return sweep(context, 'offline');
  },
};
