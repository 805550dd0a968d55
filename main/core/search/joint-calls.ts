import { availableParallelism } from 'node:os';
import type { Handlers } from '../../contract/api';
import { WorkbenchError } from '../../contract/errors';
import { servesHere, visibleGpus } from '../../contract/run/engine-kinds';
import { repositoryOf } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import type { Choice, SpecPreview } from '../../contract/run/spec-tools';
import type { JointStrategy } from '../../contract/study/joint';
import { present } from '../../contract/trees';
import { candidateIn } from '../../domain/study/joint/joint-sets';
import { planJoint } from '../../domain/study/joint/plan-joint';
import { configuredOf } from '../../domain/study/search/candidates';
import type { Prepared } from '../../studies/search/prepare-models';
import type { Contest } from '../../studies/search/searches';
import { nextJointLooks } from '../../studies/strategies/joint';
import type { TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { openedModel, requireTogether } from './contests';
import { type Base, createSearchBase } from './search-plan';

/** Throws combination-unsupported for an engine whose load is not sent from this machine. */
function requireLocal({ source }: Pick<Base['run'], 'source'>, where: string): void {
  if (servesHere(source.spec.engine)) return;
  throw new WorkbenchError(
    'combination-unsupported',
    'Several models can be searched together only on this machine',
    {
      where,
      remedy: 'Run the models with the engine "local" or "docker" here, and search from those runs.',
    },
  );
}

/** Throws combination-unsupported for a repository that is served as it is. */
function requireWritten({ source }: Pick<Base['run'], 'source'>, where: string): void {
  if (repositoryOf(source.spec.model) === null) return;
  throw new WorkbenchError(
    'combination-unsupported',
    'A model that is served from its repository as it is cannot be searched together with others',
    { where, remedy: 'Search its run by itself, or run the model with --rewrite and name that run.' },
  );
}

/** With its place in the file. */
function ofModel(cause: unknown, at: number): unknown {
  if (!(cause instanceof WorkbenchError)) return cause;
  const { code, message, remedy, details } = cause;
  return new WorkbenchError(code, message, {
    ...{ where: `models.${at}.model`, cause },
    ...present({ remedy, details }),
  });
}

/** Searches of several models, from their file to the plan. */
export function createJointCalls(
  parts: CoreParts,
  preview: (choice: Choice) => Promise<SpecPreview>,
  usualName: () => string,
): Pick<TrustedCalls, 'searches.readJoint'> & Pick<Handlers, 'searches.planJoint'> {
  const baseOf = createSearchBase(parts, preview);
  return {
    'searches.readJoint': (input) => parts.reading.readers.jointFile(input),
    'searches.planJoint': async (request) => {
      const asked = [];
      const made: DeployedRun[] = [];
      for (const [at, { of }] of request.models.entries()) {
        const { run, choice } = await baseOf(of).catch((cause: unknown) => {
          throw ofModel(cause, at);
        });
        requireLocal(run, `models.${at}.model`);
        requireWritten(run, `models.${at}.model`);
        if (run.runId !== null) made.push(run);
        asked.push({ run, choice: run.runId === null ? choice : null });
      }
      const [first, ...others] = made;
      for (const other of others) if (first !== undefined) requireTogether(first, other);
      const engine = (first ?? asked[0]?.run)?.source.spec.engine;
      const onGpu = engine !== undefined && (visibleGpus(engine) ?? []).length > 0;
      const { name = usualName() } = request;
      return planJoint(asked, { ...request, name }, { onGpu, processors: availableParallelism() });
    },
  };
}

/** Every configuration of every model on one Triton. Throws what opening the models throws. */
export async function jointContest(
  parts: CoreParts,
  joint: JointStrategy,
  runIds: Prepared['runIds'],
): Promise<Contest> {
  const opened = await Promise.all(
    joint.models.map(async ({ runId }, at) => {
      const model = await openedModel(parts, runIds.get(at) ?? runId ?? '');
      return { ...model, configured: await model.configBy() };
    }),
  );
  const [first, ...others] = opened;
  if (first === undefined) throw new WorkbenchError('input-invalid', 'The search has no models');
  for (const other of others) requireTogether(first.state, other.state);
  const openedOf = (at: number) => opened[at] ?? first;
  return {
    run: first.state,
    variants: joint.models.flatMap(({ candidates }, at) => {
      const { variantOf, configured } = openedOf(at);
      return candidates.map((candidate) => variantOf(configured(configuredOf(candidate))));
    }),
    looking: {
      next: (searched) => nextJointLooks(joint, searched),
      isAdmitted: ({ failed }, candidate) => failed[candidate] === undefined,
      isFailed: ({ looks }) => looks.length === 0,
      memory: joint.memory,
    },
    lookOf: (number) => {
      const { at, model, own } = candidateIn(joint, number);
      const { lookOf, spec } = openedOf(at);
      return lookOf(configuredOf(own), {
        ...{ batchSize: model.batchSize, percentile: model.percentile },
        ...{ tool: parts.loadTools.native, performance: spec.performance },
      });
    },
  };
}
