import { readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { readBoundedFile } from '../../platform/read-bounded-file';
import type { OwnJob } from '../job';
import { parseKillLine } from './parse-slurm';

const mostLogBytes = 64 * 2 ** 20;

/** What slurmstepd wrote into the output of this job, which this process prints to as well. */
async function readEnd(): ReturnType<OwnJob['end']> {
  const path = await readlink('/proc/self/fd/2').catch(() => null);
  if (path === null) return null;
  const found = await readBoundedFile(path, mostLogBytes);
  return 'text' in found ? parseKillLine(found.text) : null;
}

/** The batch job that this process runs in; null outside of one. */
export function ownSlurmJob(env: NodeJS.ProcessEnv): OwnJob | null {
  const { SLURM_JOB_ID: job, SLURM_JOB_NAME: name = '' } = env;
  if (job === undefined) return null;
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = env;
  const id = array === undefined || task === undefined ? job : `${array}_${task}`;
  return { id, name, node: env['SLURMD_NODENAME'] ?? hostname(), end: readEnd };
}
