import { type JobEngineKind, jobEngines } from '../contract/job/job-engines';
import { isJobEngine, type JobStatus, type RunJob } from '../contract/job/run-job';
import type { RunSpec } from '../contract/run/run-spec';
import type { JobScheduler, SchedulerOf } from './job';

const kindOf = (engine: RunSpec['engine']): JobEngineKind => {
  if (isJobEngine(engine)) return engine.kind;
  throw new Error(`no engine of jobs: ${engine.kind}`);
};

const byScheduler = (jobs: readonly RunJob[]) =>
  jobEngines
    .map((kind) => [kind, jobs.filter(({ scheduler }) => scheduler === kind)] as const)
    .filter(([, own]) => own.length > 0);

/** Combines schedulers; each gets its own jobs. */
export function createJobSchedulers(schedulerOf: SchedulerOf): JobScheduler {
  return {
    detect: async () => (await Promise.all(jobEngines.map((kind) => schedulerOf(kind).detect()))).flat(),
    refusal: (engine) => schedulerOf(kindOf(engine)).refusal(engine),
    submit: (request) => schedulerOf(kindOf(request.engine)).submit(request),
    readStatuses: async (jobs) => {
      const found = await Promise.all(
        byScheduler(jobs).map(([kind, own]) => schedulerOf(kind).readStatuses(own)),
      );
      return new Map<string, JobStatus>(found.flatMap((statuses) => [...statuses]));
    },
    cancel: async (jobs) => {
      await Promise.all(byScheduler(jobs).map(([kind, own]) => schedulerOf(kind).cancel(own)));
    },
  };
}
