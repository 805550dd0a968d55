import { toWire } from '../contract/errors';
import type { JobEngineKind } from '../contract/job/job-engines';
import type { OfKind } from '../contract/run/engine-kinds';
import type { StartProblem } from '../contract/run/spec-tools';
import { thisMachine } from './engine';
import type { JobEngine, StartFacts } from './engine-interface';
import type { InContainer } from './job';
import { openProcess, plannedProcess } from './local/process-executor';
import { withoutImages } from './without-images';

async function jobProblems({ jobs, spec }: StartFacts): Promise<readonly StartProblem[]> {
  try {
    const refusal = await jobs.refusal(spec.engine);
    if (refusal === null) return [];
    const { field, message, remedy = null } = refusal;
    return [{ field, message, remedy, code: 'job-refused', severity: 'problem', fixes: [] }];
  } catch (error) {
    const { code, message, remedy = null } = toWire(error);
    return [{ field: 'engine.kind', code, severity: 'problem', message, remedy, fixes: [] }];
  }
}

/** Inside its job Triton is a process of the node; outside of it nothing of a run is executed. */
export function jobEngine<Kind extends JobEngineKind>({
  kind,
  inContainer,
  ...own
}: Pick<JobEngine<OfKind<Kind>>, 'createScheduler' | 'ownJob'> & {
  readonly kind: Kind;
  /** How a job starts Triton in a container; null: it starts the home's Triton. */
  readonly inContainer: (engine: OfKind<Kind>) => InContainer | null;
}): JobEngine<OfKind<Kind>> {
  return {
    ...withoutImages,
    ...own,
    detect: ({ schedulerOf }) => schedulerOf(kind).detect(),
    open: (engine, spec, run, parts) => Promise.resolve(openProcess(spec, run, parts, inContainer(engine))),
    deviceOf: (_engine, node) => Promise.resolve(node === null ? thisMachine : `node ${node}`),
    plannedServer: (engine, _spec, run) => plannedProcess(engine, run, inContainer(engine)),
    startProblems: (_engine, start) => jobProblems(start),
  };
}
