import { measuringInputs, repeatInputs } from '../measure/level-keys';
import { sweep } from '../measure/run-levels';
import type { Step } from '../step';
import { sweepCommands } from '../sweep-commands';

/** Dynamic batching: one level per concurrency or request rate. */
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
      // Only if set, so that earlier runs keep their keys.
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

/** Static batching: sequential requests, one level per client batch size. */
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
