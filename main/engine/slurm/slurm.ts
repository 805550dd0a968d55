import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../../contract/errors';
import type { JobLook, RunJob } from '../../contract/job/run-job';
import type { SlurmEngineSpec } from '../../contract/job/slurm-engine';
import type { EngineStatus } from '../../contract/machine';
import { childOfVariable } from '../../platform/children';
import { exec } from '../../platform/exec';
import { writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { makeFolder } from '../../platform/make-folder';
import type { JobRequest, JobScheduler } from '../job';
import { batchScript, logOf, sbatchCommand } from './batch-script';
import {
  parseSacct,
  parseSinfo,
  parseSqueue,
  parseSubmitted,
  type Partition,
  sacctFields,
  sinfoFormat,
  squeueFormat,
} from './parse-slurm';

/** The controller serves everybody: all that this process wants to know is asked at once, and not more often. */
const lookEveryMs = 2000;

const unavailable = (message: string): WorkbenchError =>
  new WorkbenchError('engine-unavailable', `The Slurm controller does not answer: ${message}`, {
    remedy: 'Check it with: scontrol ping.',
  });

/** A busy controller takes its time, and sbatch asks it again. */
const submitLimitMs = 120_000;

const slurmOf = (engine: JobRequest['engine']): SlurmEngineSpec => {
  if (engine.kind === 'slurm') return engine;
  throw new Error(`not an engine of Slurm: ${engine.kind}`);
};

/** A controller that does not answer is asked again later. */
const patienceMs = 10_000;

interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type SlurmCommand = (argv: readonly [string, ...string[]], limitMs?: number) => Promise<CommandEnd>;

/** Another cluster than the one that is asked for the job's state. */
const otherClusters = ['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'] as const;

/** Runs the programs of Slurm. Throws engine-unavailable where they are not there or give no answer. */
function createSlurmCommand(env: NodeJS.ProcessEnv): SlurmCommand {
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
function complaintOf({ stderr, exitCode }: Pick<CommandEnd, 'stderr' | 'exitCode'>): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^\w+: (error|fatal): /, '').trim())
    .filter((line) => line !== '');
  return lines.at(-1) ?? `exit code ${exitCode ?? '?'}`;
}

/** All jobs of this user that the controller remembers, asked at most every 2 s; the database for those that it does not. */
function createLooks(run: SlurmCommand): JobScheduler['look'] {
  const kept: { at: number; jobs: Promise<ReadonlyMap<string, JobLook>> | null } = { at: 0, jobs: null };
  /** Ended for good, or unknown everywhere (null). */
  const settled = new Map<string, JobLook | null>();
  const all = async () => {
    const end = await run([
      'squeue',
      '--all',
      '--me',
      '--array',
      '--noheader',
      '--states=all',
      `--format=${squeueFormat}`,
    ]);
    if (end.exitCode !== 0) throw unavailable(complaintOf(end));
    return parseSqueue(end.stdout);
  };
  const recent = () => {
    const now = performance.now();
    if (kept.jobs === null || now - kept.at >= lookEveryMs) {
      kept.at = now;
      kept.jobs = all();
      kept.jobs.catch(() => {
        kept.jobs = null;
      });
    }
    return kept.jobs;
  };
  const forgotten = async (id: string): Promise<JobLook | null> => {
    const end = await run([
      'sacct',
      '--noheader',
      '--parsable2',
      '--allocations',
      `--format=${sacctFields}`,
      `--jobs=${id}`,
    ]).catch(() => null);
    return end === null ? null : (parseSacct(end.stdout).get(id) ?? null);
  };
  /** What was asked before a job was submitted says nothing of it. */
  const recentWith = async (ids: readonly string[]) => {
    const askedAt = performance.now();
    const jobs = await recent();
    const isComplete = kept.at >= askedAt || ids.every((id) => jobs.has(id) || settled.has(id));
    if (isComplete) return jobs;
    kept.jobs = null;
    return recent();
  };
  return async (asked) => {
    const ids = asked.map(({ id }) => id);
    const jobs = await recentWith(ids);
    const found = new Map<string, JobLook>();
    for (const id of ids) {
      const live = jobs.get(id);
      if (live !== undefined) settled.delete(id);
      else if (!settled.has(id)) settled.set(id, await forgotten(id));
      const look = live ?? settled.get(id) ?? null;
      if (look !== null) found.set(id, look);
    }
    return found;
  };
}

function partitionText({ name, isDefault, isUp, nodes, gres, timeLimit }: Partition): string {
  const parts = [
    `${nodes} node${nodes === 1 ? '' : 's'}`,
    ...(gres === null ? [] : [gres]),
    timeLimit === 'infinite' ? 'no time limit' : `at most ${timeLimit}`,
    ...(isUp ? [] : ['not up']),
  ];
  return `${name}${isDefault ? ' (default)' : ''}: ${parts.join(', ')}`;
}

/** The Slurm cluster whose commands are on this machine. */
export function createSlurm(options: {
  readonly layout: Pick<HomeLayout, 'jobs'>;
  readonly env: NodeJS.ProcessEnv;
}): JobScheduler {
  const run = createSlurmCommand(options.env);
  const partitions = async (): Promise<readonly Partition[]> => {
    const end = await run(['sinfo', '--all', '--noheader', `--format=${sinfoFormat}`]);
    if (end.exitCode !== 0) throw unavailable(complaintOf(end));
    return parseSinfo(end.stdout);
  };
  return {
    detect: async (): Promise<readonly EngineStatus[]> => {
      try {
        const found = await partitions();
        const { stdout } = await run(['sbatch', '--version']);
        const note = `Partitions: ${found.map(partitionText).join('; ')}.`;
        const version = stdout.replace(/^\S+ /, '');
        return [{ kind: 'slurm', available: true, version, note, remedy: null }];
      } catch (error) {
        const { message, remedy = null } = toWire(error);
        return [{ kind: 'slurm', available: false, version: null, note: message, remedy }];
      }
    },
    refusal: async (engine) => {
      const { partition } = slurmOf(engine);
      const found = await partitions();
      if (partition === undefined) return null;
      const missing = partition.split(',').find((name) => !found.some((one) => one.name === name));
      if (missing === undefined) return null;
      const names = found.map(({ name }) => name).join(', ');
      return {
        field: 'engine.partition',
        message: `The cluster has no partition "${missing}"; it has ${names}`,
      };
    },
    submit: async ({ name, runIds, engine, program }: JobRequest): Promise<readonly RunJob[]> => {
      const folder = join(options.layout.jobs, `${name}-${randomBytes(4).toString('hex')}`);
      await makeFolder(folder);
      await writeFileAtomic(join(folder, 'job.sh'), batchScript(program, runIds));
      const slurm = slurmOf(engine);
      const tasks = runIds.length === 1 ? null : runIds.length;
      const command = sbatchCommand({ engine: slurm, name, folder, tasks });
      const end = await run(command, submitLimitMs).catch(async (error: unknown) => {
        // The controller may have taken it all the same. A run's name is no other's; that of an array may be.
        if (tasks === null) await run(['scancel', '--quiet', `--name=${name}`]).catch(() => undefined);
        throw error;
      });
      const id = end.exitCode === 0 ? parseSubmitted(end.stdout) : null;
      if (id === null) {
        throw new WorkbenchError('job-refused', `sbatch did not take the job: ${complaintOf(end)}`, {
          where: 'engine',
          details: [end.stderr, end.stdout].filter((text) => text !== '').join('\n'),
        });
      }
      return runIds.map((_runId, task) => {
        const own = tasks === null ? id : `${id}_${task}`;
        const log = logOf(folder, own);
        return { scheduler: 'slurm', id: own, name, log, partition: slurm.partition ?? null };
      });
    },
    look: createLooks(run),
    cancel: async (jobs) => {
      const end = await run(['scancel', '--quiet', ...jobs.map(({ id }) => id)]);
      if (end.exitCode !== 0 && !/already completing|invalid job id/i.test(end.stderr)) {
        throw unavailable(complaintOf(end));
      }
    },
  };
}
