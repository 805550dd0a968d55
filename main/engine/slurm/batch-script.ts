import type { SlurmEngineSpec } from '../../contract/job/slurm-engine';
import { shellWord } from '../../contract/shell-line';
import type { JobProgram } from '../job';

/** Of the time limit; a level of the published procedures takes half of it. */
const usualPauseAheadS = 60;

interface BatchInput {
  readonly engine: SlurmEngineSpec;
  readonly name: string;
  /** Folder of the script and of what the job prints, on the shared file system. */
  readonly folder: string;
  /** Tasks of an array; null: a single job. */
  readonly tasks: number | null;
}

/** The file that a job prints to, by its id. */
export const logOf = (folder: string, id: string): string => `${folder}/${id}.log`;

const option = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}=${value}`];

/**
 * The command that submits the script of `folder`. Without `--export` the environment is what the site passes on, so what
 * the program needs is in the script.
 */
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
    // To the program itself: its children end when it says so.
    `--signal=B:USR2@${pauseAheadS}`,
    `--chdir=${folder}`,
    `--output=${logOf(folder, tasks === null ? '%j' : '%A_%a')}`,
    `${folder}/job.sh`,
  ];
}

/** The script: it becomes the program, so that the scheduler's signals reach it and nothing else. */
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
    `exec ${argv.map(shellWord).join(' ')} "$run"`,
    '',
  ].join('\n');
}
