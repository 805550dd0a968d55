import type { JobEngineKind } from '../contract/job/run-job';
import type { SlurmEngineSpec } from '../contract/job/slurm-engine';
import type { RunSpec } from '../contract/run/run-spec';

/** A command as the container runtime of a job starts it, with the folder at its own path inside. */
export type InContainer = (command: readonly string[], folder: string) => readonly [string, ...string[]];

/**
 * How Triton is started in a container of a job; null: without one. Both runtimes share network, process ids and /dev/shm
 * with the node, and pass the environment on, by which the server and what it starts are found and ended.
 */
function inSlurmContainer({ container, containerImage, gres }: SlurmEngineSpec): InContainer | null {
  if (containerImage === undefined) return null;
  switch (container) {
    case undefined:
    case 'none':
      return null;
    case 'apptainer':
      return (command, folder) => [
        ...(['apptainer', 'exec'] as const),
        // Of a job without GPUs the runtime would only warn.
        ...(gres?.includes('gpu') === true ? ['--nv'] : []),
        '--no-home',
        `--bind=${folder}:${folder}`,
        containerImage,
        ...command,
      ];
    case 'pyxis':
      return (command, folder) => [
        ...(['srun', '--overlap', '--nodes=1', '--ntasks=1'] as const),
        `--container-image=${containerImage}`,
        `--container-mounts=${folder}:${folder}`,
        '--no-container-mount-home',
        ...command,
      ];
  }
}

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
