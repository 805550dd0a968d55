import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isJobEngine,
  type JobEngineKind,
  jobEngines,
  type JobLook,
  type RunJob,
} from '../contract/job/run-job';
import type { RunSpec } from '../contract/run/run-spec';
import type { JobScheduler, OwnJob } from './job';
import { podVariables } from './kubernetes/job-manifest';
import { parseKillLine } from './slurm/parse-slurm';

type Schedulers = Readonly<Record<JobEngineKind, JobScheduler>>;

const kindOf = (engine: RunSpec['engine']): JobEngineKind => {
  if (isJobEngine(engine)) return engine.kind;
  throw new Error(`no engine of jobs: ${engine.kind}`);
};

/** Of each scheduler its own jobs. */
const byScheduler = (jobs: readonly RunJob[]) =>
  jobEngines
    .map((kind) => [kind, jobs.filter(({ scheduler }) => scheduler === kind)] as const)
    .filter(([, own]) => own.length > 0);

/** All schedulers as one: each is asked for its own jobs. */
export function createJobSchedulers(schedulers: Schedulers): JobScheduler {
  return {
    detect: async () => (await Promise.all(jobEngines.map((kind) => schedulers[kind].detect()))).flat(),
    refusal: (engine) => schedulers[kindOf(engine)].refusal(engine),
    submit: (request) => schedulers[kindOf(request.engine)].submit(request),
    look: async (jobs) => {
      const found = await Promise.all(byScheduler(jobs).map(([kind, own]) => schedulers[kind].look(own)));
      return new Map<string, JobLook>(found.flatMap((looks) => [...looks]));
    },
    cancel: async (jobs) => {
      await Promise.all(byScheduler(jobs).map(([kind, own]) => schedulers[kind].cancel(own)));
    },
  };
}

/**
 * The Job that this process runs in; null outside of one. Nobody says to a pod why it is stopped: after the pause that comes
 * before the deadline it is taken to be that, and the cluster otherwise. What the workbench cancels says so in the run.
 * @param upS how long this process has run, in seconds
 */
export function ownKubernetesJob(env: NodeJS.ProcessEnv, upS = () => process.uptime()): OwnJob | null {
  const id = env[podVariables.job];
  if (id === undefined) return null;
  const pauseAfterS = Number(env[podVariables.pauseAfter] ?? Number.POSITIVE_INFINITY);
  return {
    id,
    name: id.slice(id.indexOf('/') + 1),
    node: env[podVariables.node] ?? hostname(),
    end: () => Promise.resolve(upS() >= pauseAfterS ? 'time-limit' : 'stopped'),
  };
}

/** The line is written last, just before the signal. */
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

/** What slurmstepd wrote into the output of this job, which is the standard error of this process. */
async function readEnd(path: string): ReturnType<OwnJob['end']> {
  for (let left = tries; ; left -= 1) {
    const end = parseKillLine(await readTail(path).catch(() => ''));
    if (end !== null || left <= 1) return end;
    await sleep(againMs);
  }
}

/**
 * The batch job that this process runs in; null outside of one.
 * @param output the file that the job prints to
 */
export function ownSlurmJob(env: NodeJS.ProcessEnv, output = '/proc/self/fd/2'): OwnJob | null {
  const { SLURM_JOB_ID: job, SLURM_JOB_NAME: name = '' } = env;
  if (job === undefined) return null;
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = env;
  const id = array === undefined || task === undefined ? job : `${array}_${task}`;
  return { id, name, node: env['SLURMD_NODENAME'] ?? hostname(), end: () => readEnd(output) };
}
