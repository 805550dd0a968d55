import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../../contract/errors';
import type { SlurmEngineSpec } from '../../contract/job/job-engines';
import type { JobStatus, RunJob } from '../../contract/job/run-job';
import type { EngineStatus } from '../../contract/machine';
import { present } from '../../contract/trees';
import type { Hosts } from '../../hosts/hosts';
import { makeFolder, writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import type { JobScheduler } from '../job';
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
import {
  batchScript,
  complaintOf,
  createSlurmCommand,
  createSshCommand,
  logOf,
  sbatchCommand,
  type SlurmCommand,
} from './slurm-command';

/** Minimum interval; requests are batched to spare the controller. */
const pollEveryMs = 2000;

const unavailable = (message: string): WorkbenchError =>
  new WorkbenchError('engine-unavailable', `The Slurm controller does not answer: ${message}`, {
    remedy: 'Check it with: scontrol ping.',
  });

/** sbatch retries while the controller is busy. */
const submitLimitMs = 120_000;

/** The user's jobs from the controller, polled at most every 2 s; the accounting database for older ones. */
function createStatusReader(run: SlurmCommand): JobScheduler['readStatuses'] {
  const kept: { at: number; jobs: Promise<ReadonlyMap<string, JobStatus>> | null } = { at: 0, jobs: null };
  /** Ended jobs, and unknown ones (null). */
  const settled = new Map<string, JobStatus | null>();
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
    if (kept.jobs === null || now - kept.at >= pollEveryMs) {
      kept.at = now;
      kept.jobs = all();
      kept.jobs.catch(() => {
        kept.jobs = null;
      });
    }
    return kept.jobs;
  };
  const forgotten = async (id: string): Promise<JobStatus | null> => {
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
  /** A poll from before a submission does not know the job. */
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
    const found = new Map<string, JobStatus>();
    for (const id of ids) {
      const live = jobs.get(id);
      if (live !== undefined) settled.delete(id);
      else if (!settled.has(id)) settled.set(id, await forgotten(id));
      const jobStatus = live ?? settled.get(id) ?? null;
      if (jobStatus !== null) found.set(id, jobStatus);
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

/** One cluster, by local commands or through a login node. */
interface Cluster {
  readonly run: SlurmCommand;
  readonly readStatuses: JobScheduler['readStatuses'];
}

const clusterBy = (run: SlurmCommand): Cluster => ({ run, readStatuses: createStatusReader(run) });

async function readPartitions({ run }: Cluster): Promise<readonly Partition[]> {
  const end = await run(['sinfo', '--all', '--noheader', `--format=${sinfoFormat}`]);
  if (end.exitCode !== 0) throw unavailable(complaintOf(end));
  return parseSinfo(end.stdout);
}

/** Nodes and login node must share the home's file system. Throws engine-unavailable. */
async function requireShared({ run }: Cluster, file: string, login: string): Promise<void> {
  const { exitCode } = await run(['test', '-r', file]);
  if (exitCode === 0) return;
  throw new WorkbenchError('engine-unavailable', `The login node ${login} cannot read ${file}`, {
    where: 'engine.login',
    remedy:
      'Keep the workbench home on the file system that the cluster shares, under the same path on both machines.',
  });
}

async function cancelJobs({ run }: Cluster, jobs: readonly RunJob[]): Promise<void> {
  const end = await run(['scancel', '--quiet', ...jobs.map(({ id }) => id)]);
  if (end.exitCode !== 0 && !/already completing|invalid job id/i.test(end.stderr)) {
    throw unavailable(complaintOf(end));
  }
}

/** The local Slurm cluster, and clusters of login nodes in the host list. */
export function createSlurm(options: {
  readonly layout: Pick<HomeLayout, 'jobs'>;
  readonly env: NodeJS.ProcessEnv;
  readonly hosts: Pick<Hosts, 'run'>;
}): JobScheduler<SlurmEngineSpec> {
  const own = clusterBy(createSlurmCommand(options.env));
  const byLogin = new Map<string, Cluster>();
  const clusterOf = (login: string | undefined): Cluster => {
    if (login === undefined) return own;
    const known = byLogin.get(login) ?? clusterBy(createSshCommand(options.hosts, login));
    byLogin.set(login, known);
    return known;
  };
  const byCluster = (jobs: readonly RunJob[]) =>
    [...new Set(jobs.map(({ login }) => login))].map(
      (login) => [clusterOf(login), jobs.filter((job) => job.login === login)] as const,
    );
  return {
    detect: async (): Promise<readonly EngineStatus[]> => {
      try {
        const found = await readPartitions(own);
        const { stdout } = await own.run(['sbatch', '--version']);
        const note = `Partitions: ${found.map(partitionText).join('; ')}.`;
        const version = stdout.replace(/^\S+ /, '');
        return [{ kind: 'slurm', available: true, version, note, remedy: null }];
      } catch (error) {
        const { message, remedy = null } = toWire(error);
        return [{ kind: 'slurm', available: false, version: null, note: message, remedy }];
      }
    },
    refusal: async ({ partition, login }) => {
      const found = await readPartitions(clusterOf(login));
      if (partition === undefined) return null;
      const missing = partition.split(',').find((name) => !found.some((one) => one.name === name));
      if (missing === undefined) return null;
      const names = found.map(({ name }) => name).join(', ');
      return {
        field: 'engine.partition',
        message: `The cluster has no partition "${missing}"; it has ${names}`,
      };
    },
    submit: async ({ name, runIds, engine, program }): Promise<readonly RunJob[]> => {
      const { login, partition = null } = engine;
      const cluster = clusterOf(login);
      const folder = join(options.layout.jobs, `${name}-${randomBytes(4).toString('hex')}`);
      await makeFolder(folder);
      const script = join(folder, 'job.sh');
      await writeFileAtomic(script, batchScript(program, runIds));
      if (login !== undefined) await requireShared(cluster, script, login);
      const tasks = runIds.length === 1 ? null : runIds.length;
      const command = sbatchCommand({ engine, name, folder, tasks });
      const end = await cluster.run(command, submitLimitMs).catch(async (error: unknown) => {
        // The controller may have accepted it. Only single jobs have unique names.
        if (tasks === null)
          await cluster.run(['scancel', '--quiet', `--name=${name}`]).catch(() => undefined);
        throw error;
      });
      const id = end.exitCode === 0 ? parseSubmitted(end.stdout) : null;
      if (id === null) {
        throw new WorkbenchError('job-refused', `sbatch rejected the job: ${complaintOf(end)}`, {
          where: 'engine',
          details: [end.stderr, end.stdout].filter((text) => text !== '').join('\n'),
        });
      }
      return runIds.map((_runId, task) => {
        const own = tasks === null ? id : `${id}_${task}`;
        const log = logOf(folder, own);
        return { scheduler: 'slurm', id: own, name, log, partition, ...present({ login }) };
      });
    },
    readStatuses: async (jobs) => {
      const found = await Promise.all(
        byCluster(jobs).map(([{ readStatuses }, asked]) => readStatuses(asked)),
      );
      return new Map(found.flatMap((statuses) => [...statuses]));
    },
    cancel: async (jobs) => {
      await Promise.all(byCluster(jobs).map(([cluster, asked]) => cancelJobs(cluster, asked)));
    },
  };
}
