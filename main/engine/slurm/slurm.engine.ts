import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SlurmEngineSpec } from '../../contract/job/job-engines';
import type { InContainer, OwnJob } from '../job';
import { jobEngine } from '../job-engine';
import { parseKillLine } from './parse-slurm';
import { createSlurm } from './slurm';

/**
 * Container runtime command for Triton in a job, or null. Both runtimes share network, PIDs and /dev/shm with the node
 * and pass the environment on, by which processes are found.
 */
export function inSlurmContainer({ container, containerImage, gres }: SlurmEngineSpec): InContainer | null {
  if (containerImage === undefined) return null;
  switch (container) {
    case undefined:
    case 'none':
      return null;
    case 'apptainer':
      return (command, folder) => [
        ...(['apptainer', 'exec'] as const),
        // Without GPUs, Apptainer's --nv only warns.
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

/** slurmstepd logs the reason last, just before its signal. */
const tailBytes = 64 * 1024;
const tries = 5;
const againMs = 200;

async function readTail(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reads slurmstepd's reason from the job's output, which is this process's stderr. */
async function readEnd(path: string): ReturnType<OwnJob['end']> {
  for (let left = tries; ; left -= 1) {
    const end = parseKillLine(await readTail(path).catch(() => ''));
    if (end !== null || left <= 1) return end;
    await sleep(againMs);
  }
}

/** The batch job that this process runs in, or null. @param output file of the job's output */
export function ownSlurmJob(env: NodeJS.ProcessEnv, output = '/proc/self/fd/2'): OwnJob | null {
  const { SLURM_JOB_ID: job, SLURM_JOB_NAME: name = '' } = env;
  if (job === undefined) return null;
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = env;
  const id = array === undefined || task === undefined ? job : `${array}_${task}`;
  return { id, name, node: env['SLURMD_NODENAME'] ?? hostname(), end: () => readEnd(output) };
}

export const slurmEngine = jobEngine({
  kind: 'slurm',
  inContainer: inSlurmContainer,
  createScheduler: createSlurm,
  ownJob: (env) => ownSlurmJob(env),
});
