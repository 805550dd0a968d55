import { toWire, WorkbenchError } from '../../contract/errors';
import { shellLine, shellWord } from '../../contract/flag-text';
import type { SlurmEngineSpec } from '../../contract/job/job-engines';
import { present } from '../../contract/trees';
import type { Hosts } from '../../hosts/hosts';
import { exec } from '../../platform/exec';
import { childOfVariable } from '../../platform/left-children';
import type { JobProgram } from '../job';

/** Seconds before the time limit; a level of the published procedures takes half of it. */
const usualPauseAheadS = 60;

interface BatchInput {
  readonly engine: SlurmEngineSpec;
  readonly name: string;
  /** Folder for script and job output, on the shared file system. */
  readonly folder: string;
  /** Tasks of an array; null: a single job. */
  readonly tasks: number | null;
}

/** The file that a job prints to, by its id. */
export const logOf = (folder: string, id: string): string => `${folder}/${id}.log`;

const option = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/** Submits the script in `folder`, which sets its variables: the site decides what sbatch passes on. */
export function sbatchCommand({ engine, name, folder, tasks }: BatchInput): readonly [string, ...string[]] {
  const { options = {}, tasksAtOnce, pauseAheadS = usualPauseAheadS } = engine;
  const throttle = tasksAtOnce === undefined ? '' : `%${tasksAtOnce}`;
  return [
    'sbatch',
    '--parsable',
    `--job-name=${name}`,
    ...option('partition', engine.partition),
    ...option('gres', engine.gres),
    ...option('time', engine.timeLimit),
    ...option('account', engine.account),
    ...option('constraint', engine.constraint),
    ...Object.entries(options).map(([key, value]) =>
      key === 'exclusive' && value === 'true' ? '--exclusive' : `--${key}=${value}`,
    ),
    ...(tasks === null ? [] : [`--array=0-${tasks - 1}${throttle}`]),
    '--nodes=1',
    '--ntasks=1',
    '--requeue',
    '--open-mode=append',
    // Signals only the batch shell's program, which stops its children.
    `--signal=B:USR2@${pauseAheadS}`,
    `--chdir=${folder}`,
    `--output=${logOf(folder, tasks === null ? '%j' : '%A_%a')}`,
    `${folder}/job.sh`,
  ];
}

/** The script execs the program, so that it receives the scheduler's signals. */
export function batchScript({ argv, env }: JobProgram, runIds: readonly string[]): string {
  const [only] = runIds;
  const chosen =
    runIds.length === 1
      ? [`run=${shellWord(only ?? '')}`]
      : [
          'case "$SLURM_ARRAY_TASK_ID" in',
          ...runIds.map((runId, task) => `  ${task}) run=${shellWord(runId)} ;;`),
          '  *) echo "No run for task $SLURM_ARRAY_TASK_ID." >&2; exit 2 ;;',
          'esac',
        ];
  return [
    '#!/bin/sh',
    '# Continues a run of Triton Workbench. It can be started again at any time: nothing measured is repeated.',
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`),
    ...chosen,
    '# Not ended by the signal that asks for a pause before it listens: with a short time limit it comes at once.',
    "trap '' USR2",
    `exec ${argv.map(shellWord).join(' ')} "$run"`,
    '',
  ].join('\n');
}

/** Timeout; polled again later. */
const patienceMs = 10_000;

interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws engine-unavailable if the program is missing or does not respond. */
export type SlurmCommand = (argv: readonly [string, ...string[]], limitMs?: number) => Promise<CommandEnd>;

/** Would redirect queries to other clusters. */
const otherClusters = ['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'] as const;

/** sbatch passes its environment on: jobs must not inherit the ownership of this process. */
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
      throw new WorkbenchError(
        'engine-unavailable',
        `${argv[0]} did not respond within ${limitMs / 1000} s`,
        {
          remedy: 'Check that the Slurm controller responds: scontrol ping.',
        },
      );
    }
    if (end.exitCode === 127) {
      const remedy = 'Start the workbench on a login node of the cluster, or name one with --slurm-login.';
      throw notInstalled(argv[0], 'this machine', remedy);
    }
    return { exitCode: end.exitCode, stdout: lines.join('\n'), stderr };
  };
}

/** On a login node. @param login name of a host that ssh reaches */
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
      throw notInstalled(argv[0], login, `Name a login node of the cluster: ${login} is not one.`);
    }
    return { exitCode: end.exitCode, stdout: end.stdout.trimEnd(), stderr: end.stderr };
  };
}

/** Error output on one line, without the program's prefix. */
export function complaintOf({ stderr, exitCode }: Pick<CommandEnd, 'stderr' | 'exitCode'>): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^\w+: (error|fatal): /, '').trim())
    .filter((line) => line !== '');
  return lines.at(-1) ?? `exit code ${exitCode ?? '?'}`;
}
