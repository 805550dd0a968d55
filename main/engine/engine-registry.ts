import { type JobEngineKind, jobEngines } from '../contract/job/job-engines';
import type { OfKind } from '../contract/run/engine-kinds';
import { type EngineKind, engines as kinds, type RunSpec } from '../contract/run/run-spec';
import { dockerEngine } from './docker/docker.engine';
import type { Engine, JobEngine, PlannedServer, UnstartedRun } from './engine-interface';
import type { JobScheduler, OwnJob, SchedulerOf, SchedulerParts } from './job';
import { kubernetesEngine } from './kubernetes/kubernetes.engine';
import { localEngine } from './local/local.engine';
import { remoteEngine } from './remote/remote.engine';
import { slurmEngine } from './slurm/slurm.engine';

const jobEngineTable: { readonly [Kind in JobEngineKind]: JobEngine<OfKind<Kind>> } = {
  slurm: slurmEngine,
  kubernetes: kubernetesEngine,
};

const engineTable: { readonly [Kind in EngineKind]: Engine<OfKind<Kind>> } = {
  local: localEngine,
  docker: dockerEngine,
  remote: remoteEngine,
  ...jobEngineTable,
};

/** The engine of a specification; TypeScript narrows its first argument. */
export const engineOf = <Kind extends EngineKind>({ kind }: OfKind<Kind>): Engine<OfKind<Kind>> =>
  engineTable[kind];

export const plannedServer = (spec: RunSpec, run: UnstartedRun): PlannedServer =>
  engineOf(spec.engine).plannedServer(spec.engine, spec, run);

export const allEngines: readonly Pick<Engine, 'detect' | 'sweep'>[] = kinds.map((kind) => engineTable[kind]);

/** Schedulers, created on first use. */
export function createSchedulers(parts: SchedulerParts): SchedulerOf {
  const made = new Map<JobEngineKind, JobScheduler>();
  return (kind) => {
    const scheduler = made.get(kind) ?? jobEngineTable[kind].createScheduler(parts);
    made.set(kind, scheduler);
    return scheduler;
  };
}

/** The job that this environment belongs to, or null. */
export const ownJobOf = (env: NodeJS.ProcessEnv): OwnJob | null =>
  jobEngines.map((kind) => jobEngineTable[kind].ownJob(env)).find((job) => job !== null) ?? null;
