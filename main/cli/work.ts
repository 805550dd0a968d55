import { stepTitleOf } from '../contract/step-text';
import type { Core, ExecuteOptions } from '../core';
import type { Output } from './output';
import { exitCodeOf, exitCodes } from './output';
import { runDocument } from './run-json';
import { createRunProgress } from './run-progress';

/**
 * Works on a run to its end with progress for people, and gives the exit code.
 * The first Ctrl-C cancels (what was measured stays, `resume` goes on); the second ends the process at once.
 */
export async function workOn(
  core: Core,
  runId: string,
  output: Output,
  options: { readonly verbose: boolean } & ExecuteOptions,
): Promise<number> {
  const { verbose, ...how } = options;
  const stopListening = core.subscribe(createRunProgress(output, { verbose, titleOf: stepTitleOf }));
  const asked = { times: 0 };
  const cancel = () => {
    asked.times += 1;
    if (asked.times > 1) process.exit(exitCodes.cancelled);
    output.say('Cancelling. Press Ctrl-C again to quit immediately.');
    void core.cancelRun(runId);
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  try {
    const { dir } = await core.getRun(runId);
    output.say(`Run ${runId}`);
    output.say(`  in ${dir}`);
    const { end } = await core.executeRun(runId, how);
    const { outcome, error } = await end;
    const { state } = await core.getRun(runId);
    for (const report of state.reports) output.say(`  ${report.kind}: ${report.path}`);
    if (outcome !== 'done') output.say(`To continue: npm run cli -- resume ${runId}`);
    if (outcome === 'gate-failed') {
      output.say(`To measure unverified: npm run cli -- resume ${runId} --allow-unverified`);
    }
    if (output.json) output.document(runDocument(state, dir));
    switch (outcome) {
      case 'done':
        return exitCodes.done;
      case 'gate-failed':
        return exitCodes.gate;
      case 'paused':
        return exitCodes.paused;
      case 'cancelled':
        return exitCodes.cancelled;
      case 'failed':
        return error === null ? exitCodes.failed : exitCodeOf(error);
    }
  } finally {
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
    stopListening();
  }
}
