import { z } from 'zod';
import { formats, precisions } from './run/run-spec';

export const deploymentVersionSchema = z.object({
  model: z.string(),
  version: z.int().min(1),
  runId: z.string(),
  format: z.enum(formats),
  precision: z.enum(precisions),
});
export type DeploymentVersion = z.infer<typeof deploymentVersionSchema>;

/** `deploy`: a deployment of its own; `update`: a version, or a model, that one did not have. */
export const deploymentChanges = [
  'deploy',
  'update',
  'rollback',
  'start',
  'stop',
  'restart',
  'remove',
] as const;
type ChangeKind = (typeof deploymentChanges)[number];

/** What became of a change that was killed. */
export const recoveryOutcomes = ['completed', 'undone', 'failed'] as const;

/** The last change of a deployment. */
export interface DeploymentChange {
  readonly what: ChangeKind;
  /** What is to be served; only of a deploy, an update and a rollback. */
  readonly to?: DeploymentVersion | undefined;
  /** Number of the version that was served before; null: there was none. */
  readonly from?: number | null | undefined;
  /** Process that makes it. */
  readonly pid: number;
  /** null: it is being made, or its process was killed. `ended` tells nothing more: what came of it has its own entries. */
  readonly outcome: (typeof recoveryOutcomes)[number] | 'ended' | null;
  /** Why it failed after it was killed. */
  readonly problem?: string | undefined;
}

/** The entries that say what came of a change. */
const endings: Readonly<Record<ChangeKind, readonly string[]>> = {
  deploy: ['version-served', 'failed'],
  update: ['version-served', 'failed'],
  rollback: ['rolled-back', 'failed'],
  start: ['started', 'failed'],
  stop: ['stopped', 'failed'],
  restart: ['started', 'failed'],
  remove: ['failed'],
};

/** Whether a change that has begun ends with this entry. Pure. */
export const endsChange = ({ what, outcome }: DeploymentChange, entryType: string): boolean =>
  outcome === null && endings[what].includes(entryType);

/** These leave a server that is starting, or is to be. */
export const startsServer = ({ what }: DeploymentChange): boolean =>
  what === 'deploy' || what === 'start' || what === 'restart';

const nounOf = ({ what, to }: DeploymentChange): string => {
  if (what === 'deploy') return 'deployment';
  if (what === 'remove') return 'removal';
  return to === undefined ? what : `${what} to version ${to.version}`;
};

/**
 * What is said of a change whose process was killed; null: it was not.
 * @param isInterrupted its process has ended, and it is not made to its end yet
 */
export function interruptionText(change: DeploymentChange | null, isInterrupted: boolean): string | null {
  if (change === null) return null;
  const noun = nounOf(change);
  switch (change.outcome) {
    case null: {
      if (!isInterrupted) return null;
      const next = change.to === undefined ? 'is being completed' : 'is being completed or undone';
      return `The ${noun} was interrupted: process ${change.pid} has ended. It ${next}.`;
    }
    case 'completed':
    case 'undone':
      return `The ${noun} was interrupted and then ${change.outcome}.`;
    case 'failed':
      return `The ${noun} was interrupted and could not be completed: ${change.problem ?? ''}`;
    case 'ended':
      return null;
  }
}
