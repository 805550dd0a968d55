import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { invalidInput } from '../contract/errors';
import { kubernetesRequestShape, slurmRequestShape } from '../contract/job/job-engines';
import {
  isJobEngine,
  type JobEngineKind,
  jobEngines,
  type JobLook,
  type RunJob,
  schedulerTitle,
} from '../contract/job/run-job';
import type { RunSpec } from '../contract/run/run-spec';
import { parseYaml } from '../platform/parse-yaml';
import { readBoundedFile } from '../platform/plain-entry';
import type { JobScheduler, OwnJob } from './job';
import { podVariables } from './kubernetes/job-manifest';
import { parseKillLine } from './slurm/parse-slurm';

/** What a profile may have, by the engine that it is of. */
const shapes = {
  slurm: z.strictObject(slurmRequestShape),
  kubernetes: z.strictObject(kubernetesRequestShape),
} as const;

type JobEngine = Extract<RunSpec['engine'], { kind: JobEngineKind }>;
type Profile = z.infer<(typeof shapes)[JobEngineKind]>;

const profilesOf = (shape: z.ZodType<Profile>) =>
  z.strictObject({
    /** The profile of runs that name none. */
    default: z.string().optional(),
    profiles: z.record(z.string(), shape),
  });

const mostBytes = 64 * 1024;

/** Throws input-invalid naming the field. */
function checked<Value>(schema: z.ZodType<Value>, value: unknown, { file, title }: ProfileFile): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const message = `The ${title} profile is not valid: ${field === '' ? '' : `${field}: `}${issue?.message ?? ''}`;
  throw invalidInput(file, message, 'Fix the field in the file.');
}

interface ProfileFile {
  readonly file: string;
  readonly title: string;
}

/** null: there is no such file. Throws input-invalid. */
async function readFile({ file, title }: ProfileFile): Promise<unknown> {
  const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
  const unreadable = (reason: string) =>
    invalidInput(file, `The ${title} profiles cannot be read: ${reason}`, 'Fix or remove the file.');
  if ('problem' in found) {
    if (found.problem === 'it does not exist') return null;
    throw unreadable(found.problem);
  }
  try {
    return parseYaml(found.text) ?? {};
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}

async function profileOf({ kind, profile: name }: JobEngine, file: string): Promise<Profile> {
  const title = schedulerTitle[kind];
  const shape: z.ZodType<Profile> = shapes[kind];
  if (name !== undefined && isAbsolute(name)) {
    const content = await readFile({ file: name, title });
    if (content === null) throw invalidInput(name, `The ${title} profile does not exist`, 'Check the path.');
    return checked(shape, content, { file: name, title });
  }
  const content = await readFile({ file, title });
  if (content === null && name === undefined) return {};
  const { profiles, default: usual } = checked(profilesOf(shape), content ?? { profiles: {} }, {
    file,
    title,
  });
  const wanted = name ?? usual;
  if (wanted === undefined) return {};
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted] ?? {};
  const known = Object.keys(profiles).join(', ');
  const remedy =
    known === '' ? 'Write the file, or give the options themselves.' : `Its profiles are ${known}.`;
  throw invalidInput(file, `There is no ${title} profile "${wanted}"`, remedy);
}

/**
 * The engine with what its profile adds to the fields that it does not set itself: the run's specification has all of it, so
 * that a later change of the profile changes no run.
 * @param files of the home, with the profiles of each engine
 * @returns what the profile has, too: of one of the home a person has written it there
 * Throws input-invalid naming file and field.
 */
export async function withProfile<Given extends JobEngine>(
  engine: Given,
  files: Readonly<Record<JobEngineKind, string>>,
): Promise<{ readonly engine: Given; readonly profile: Profile }> {
  const profile = await profileOf(engine, files[engine.kind]);
  const options = {
    ...('options' in profile ? profile.options : {}),
    ...('options' in engine ? engine.options : {}),
  };
  return {
    engine: { ...profile, ...engine, ...(Object.keys(options).length === 0 ? {} : { options }) },
    profile,
  };
}

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
