import { WorkbenchError } from '../contract/errors';
import { isDeployed } from '../contract/run/run-source';
import type { DeployedRun, RunState } from '../contract/run/run-state';

export const notRunnable = (runId: string): WorkbenchError =>
  new WorkbenchError('input-invalid', 'An imported run cannot be run', {
    where: runId,
    remedy: 'Start a new deployment to measure on this machine.',
  });

/** A measured server's run has no specification to change. */
export const notChangeable = (runId: string): WorkbenchError =>
  new WorkbenchError('input-invalid', 'A run that measured a running Triton cannot be changed', {
    where: runId,
    remedy: 'Start a new measurement with other options.',
  });

/** Throws input-invalid for runs without a specification. */
export function requireDeployed(state: RunState): DeployedRun {
  if (isDeployed(state)) return state;
  throw state.source.kind === 'server' ? notChangeable(state.runId) : notRunnable(state.runId);
}
