import { z } from 'zod';
import { promisedLoadSchema } from '../measured/promised-load';
import type { Tracing } from '../measured/trace-setting';
import { formats, precisions } from '../run/run-spec';
import { modelNameSchema } from '../served-repository';
import type { DeploymentEngine } from './deployment-engine';

/** Models of a repository that are served as they are. */
const deployedRepositorySchema = z.object({
  /** Triton's version of the model: the folders of a repository keep their numbers. */
  version: z.int().min(1),
  /** The model first, then all that are served with it. */
  models: z.array(modelNameSchema).min(1),
  /** Of these the ones that are loaded by name, such as those that a BLS model calls. */
  with: z.array(modelNameSchema),
});

export const deploymentVersionSchema = z.object({
  model: z.string(),
  version: z.int().min(1),
  runId: z.string(),
  format: z.enum(formats),
  precision: z.enum(precisions),
  /** Absent: its configuration is not that of a search. */
  promised: promisedLoadSchema.optional(),
  /** Absent: one model, with a configuration that the workbench wrote. */
  repository: deployedRepositorySchema.optional(),
});
export type DeploymentVersion = z.infer<typeof deploymentVersionSchema>;

/** The number under which Triton has it. */
export const tritonVersionOf = ({
  version,
  repository,
}: Pick<DeploymentVersion, 'version' | 'repository'>): number => repository?.version ?? version;

/** `deploy`: a new deployment; `update`: a new version or model of an existing one; `move`: to another serving environment. */
export const deploymentChanges = [
  'deploy',
  'update',
  'rollback',
  'move',
  'start',
  'stop',
  'restart',
  'remove',
  'trace',
] as const;
type ChangeKind = (typeof deploymentChanges)[number];

/** What became of a change that was killed. */
export const recoveryOutcomes = ['completed', 'undone', 'failed'] as const;

export interface DeploymentChange {
  readonly what: ChangeKind;
  /** Only of a deploy, an update and a rollback. */
  readonly to?: DeploymentVersion | undefined;
  /** Version number served before; null: none. */
  readonly from?: number | null | undefined;
  /** Only of a move. */
  readonly engines?: { readonly to: DeploymentEngine; readonly from: DeploymentEngine } | undefined;
  /** Only of a trace: what is put back. */
  readonly tracing?: Tracing | undefined;
  readonly pid: number;
  /** null: in progress, or its process was killed. `ended`: its result is in entries of its own. */
  readonly outcome: (typeof recoveryOutcomes)[number] | 'ended' | null;
  readonly problem?: string | undefined;
}

const endings: Readonly<Record<ChangeKind, readonly string[]>> = {
  deploy: ['version-served', 'failed'],
  update: ['version-served', 'failed'],
  rollback: ['rolled-back', 'failed'],
  move: ['moved', 'failed'],
  start: ['started', 'failed'],
  stop: ['stopped', 'failed'],
  restart: ['started', 'failed'],
  remove: ['failed'],
  trace: ['tracing-ended'],
};

export const endsChange = ({ what, outcome }: DeploymentChange, entryType: string): boolean =>
  outcome === null && endings[what].includes(entryType);

/** These changes leave a server that is starting or supposed to run. */
export const startsServer = ({ what }: DeploymentChange): boolean =>
  what === 'deploy' || what === 'move' || what === 'start' || what === 'restart';

const nounOf = ({ what, to }: DeploymentChange): string => {
  if (what === 'deploy') return 'deployment';
  if (what === 'remove') return 'removal';
  if (what === 'trace') return 'tracing of requests';
  return to === undefined ? what : `${what} to version ${to.version}`;
};

/** null: not killed. @param isInterrupted its process has ended, and nobody has completed the change yet */
export function interruptionText(change: DeploymentChange | null, isInterrupted: boolean): string | null {
  if (change === null) return null;
  const noun = nounOf(change);
  switch (change.outcome) {
    case null: {
      if (!isInterrupted) return null;
      const isUndone = change.what === 'trace';
      const next = change.to === undefined ? 'is being completed' : 'is being completed or undone';
      return `The ${noun} was interrupted: process ${change.pid} has ended. It ${isUndone ? 'is being undone' : next}.`;
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
