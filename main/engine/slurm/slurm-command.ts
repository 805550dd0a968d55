import { toWire, WorkbenchError } from '../../contract/errors';
import { present } from '../../contract/present';
import { shellLine } from '../../contract/shell-line';
import type { Hosts } from '../../hosts/hosts';
import { childOfVariable } from '../../platform/children';
import { exec } from '../../platform/exec';

/** A controller that does not answer is asked again later. */
const patienceMs = 10_000;

interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of Slurm. Throws engine-unavailable where it is not there or gives no answer. */
export type SlurmCommand = (argv: readonly [string, ...string[]], limitMs?: number) => Promise<CommandEnd>;

/** Another cluster than the one that is asked for the job's state. */
const otherClusters = ['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'] as const;

/** A job inherits the environment of sbatch: it belongs to the cluster, and not to the workbench that submitted it. */
const withoutOurs = (argv: readonly string[]): [string, ...string[]] => [
  '/usr/bin/env',
  ...[childOfVariable, ...otherClusters].flatMap((name) => ['-u', name]),
  ...argv,
];

const notInstalled = (program: string, where: string, remedy: string): WorkbenchError =>
  new WorkbenchError('engine-unavailable', `${program} is not installed on ${where}`, { remedy });

/** By the commands of this machine. */
export function createSlurmCommand(env: NodeJS.ProcessEnv): SlurmCommand {
  return async (argv, limitMs = patienceMs) => {
    const lines: string[] = [];
    const end = await exec({
      argv: withoutOurs(argv),
      env,
      signal: AbortSignal.timeout(limitMs),
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
      const remedy = 'Start the workbench on a login node of the cluster, or name one with --slurm-login.';
      throw notInstalled(argv[0], 'this machine', remedy);
    }
    return { exitCode: end.exitCode, stdout: lines.join('\n'), stderr };
  };
}

/** By the commands of a login node. @param login name of a host that ssh reaches */
export function createSshCommand(hosts: Pick<Hosts, 'run'>, login: string): SlurmCommand {
  return async (argv, limitMs = patienceMs) => {
    const command = shellLine(withoutOurs(argv));
    const end = await hosts.run(login, command, { timeoutMs: limitMs }).catch((error: unknown) => {
      const { message, remedy } = toWire(error);
      throw new WorkbenchError('engine-unavailable', `The login node ${login}: ${message}`, {
        where: 'engine.login',
        ...present({ remedy }),
      });
    });
    if (end.exitCode === 127) {
      throw notInstalled(argv[0], login, `Name a login node of the cluster: ${login} is none.`);
    }
    return { exitCode: end.exitCode, stdout: end.stdout.trimEnd(), stderr: end.stderr };
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
