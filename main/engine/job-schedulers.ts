import type { JobEngineKind, JobLook, RunJob } from '../contract/job/run-job';
import { isJobEngine, jobEngines } from '../contract/job/run-job';
import type { RunSpec } from '../contract/run/run-spec';
import type { JobScheduler } from './job';

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
