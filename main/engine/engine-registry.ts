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

/** Every engine by its kind; a missing one does not compile. */
const engineTable: { readonly [Kind in EngineKind]: Engine<OfKind<Kind>> } = {
  local: localEngine,
  docker: dockerEngine,
  remote: remoteEngine,
  ...jobEngineTable,
};

/** The engine of a specification, which is its first argument in whatever it is asked. */
export const engineOf = <Kind extends EngineKind>({ kind }: OfKind<Kind>): Engine<OfKind<Kind>> =>
  engineTable[kind];

/** The Triton of a run to come, as its engine will start it; see `Engine.plannedServer`. */
export const plannedServer = (spec: RunSpec, run: UnstartedRun): PlannedServer =>
  engineOf(spec.engine).plannedServer(spec.engine, spec, run);

/** All of them, for what is asked of an engine without a specification. */
export const allEngines: readonly Pick<Engine, 'detect' | 'sweep'>[] = kinds.map((kind) => engineTable[kind]);

/** The scheduler of each engine of jobs, made when it is first asked for. */
export function createSchedulers(parts: SchedulerParts): SchedulerOf {
  const made = new Map<JobEngineKind, JobScheduler>();
  return (kind) => {
    const scheduler = made.get(kind) ?? jobEngineTable[kind].createScheduler(parts);
    made.set(kind, scheduler);
    return scheduler;
  };
}

/** The job that a process with this environment runs in; null outside of one. */
export const ownJobOf = (env: NodeJS.ProcessEnv): OwnJob | null =>
  jobEngines.map((kind) => jobEngineTable[kind].ownJob(env)).find((job) => job !== null) ?? null;
