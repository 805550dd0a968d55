import { WorkbenchError } from '../../contract/errors';
import { childOfVariable } from '../../platform/children';
import { exec } from '../../platform/exec';

/** A controller that does not answer is asked again later. */
const patienceMs = 10_000;

interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type SlurmCommand = (argv: readonly [string, ...string[]], limitMs?: number) => Promise<CommandEnd>;

/** Another cluster than the one that is asked for the job's state. */
const otherClusters = ['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'] as const;

/** Runs the programs of Slurm. Throws engine-unavailable where they are not there or give no answer. */
export function createSlurmCommand(env: NodeJS.ProcessEnv): SlurmCommand {
  return async (argv, limitMs = patienceMs) => {
    const lines: string[] = [];
    const signal = AbortSignal.timeout(limitMs);
    // A job inherits the environment of sbatch: it belongs to the cluster, and not to the workbench that submitted it.
    const end = await exec({
      argv: ['/usr/bin/env', ...[childOfVariable, ...otherClusters].flatMap((name) => ['-u', name]), ...argv],
      env,
      signal,
      killGraceMs: 0,
      onStdoutLine: (line) => lines.push(line),
    });
    const stderr = end.stderrTail.join('\n');
    if (end.aborted) {
      throw new WorkbenchError('engine-unavailable', `${argv[0]} gave no answer within ${limitMs / 1000} s`, {
        remedy: 'Check that the Slurm controller responds: scontrol ping.',
      });
    }
    if (end.exitCode === 127) {
      throw new WorkbenchError('engine-unavailable', `${argv[0]} is not installed on this machine`, {
        remedy: 'Start the workbench on a login node of the cluster.',
      });
    }
    return { exitCode: end.exitCode, stdout: lines.join('\n'), stderr };
  };
}

/** What a program of Slurm printed, for a message: one line without the program's own prefix. */
export function complaintOf({ stderr, exitCode }: Pick<CommandEnd, 'stderr' | 'exitCode'>): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^\w+: (error|fatal): /, '').trim())
    .filter((line) => line !== '');
  return lines.at(-1) ?? `exit code ${exitCode ?? '?'}`;
}
