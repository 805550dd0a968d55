import type { JobEngineKind } from '../contract/job/run-job';
import type { RunSpec } from '../contract/run/run-spec';
import { type InContainer, inContainerOf as inSlurmContainer } from './slurm/container-command';

/** A pod is the container: what its image has is started as it is. */
const asItIs: InContainer = (command) => {
  const [program = '', ...rest] = command;
  return [program, ...rest];
};

/** How a job starts a Triton that is not the one of the home; null: it is. */
export function inContainerOf(
  engine: Extract<RunSpec['engine'], { kind: JobEngineKind }>,
): InContainer | null {
  if (engine.kind === 'slurm') return inSlurmContainer(engine);
  return engine.triton === 'home' ? null : asItIs;
}
