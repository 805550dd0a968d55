import { join } from 'node:path';
import { withScheme } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { modelArtefactSchema } from '../../contract/run/artefacts';
import { inContainers, isProcess, type OfKind, servesHere } from '../../contract/run/engine-kinds';
import { type PerformanceSpec, repositoryOf, type RunSpec } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import { ofScenario } from '../../contract/run/sweep';
import type { DuelSide, DuelStrategy } from '../../contract/study/duel';
import type { Configured, SearchServer, SearchStrategy } from '../../contract/study/search';
import type { StudySpec } from '../../contract/study/study';
import { present, sameValue } from '../../contract/trees';
import { readConfig, servingOnly } from '../../deployments/deployable-run';
import { nextDuelLooks } from '../../domain/study/duel/duel-rounds';
import { duelOf } from '../../domain/study/duel/duel-study';
import { configuredOf } from '../../domain/study/search/candidates';
import { guessesOf } from '../../domain/study/search/guess';
import { nextLooks } from '../../domain/study/search/next-looks';
import { isAdmitted } from '../../domain/study/search/objective';
import { modelNumberOf } from '../../domain/study/search/search-models';
import { searchOf } from '../../domain/study/search/search-study';
import { formatOf, servingFramework } from '../../formats/formats';
import { modelConfigOf, servedMaxBatchSize } from '../../formats/model-config-of';
import { repositorySourceOf } from '../../formats/own-config';
import { warmedWithin, warmUpSamplesOf } from '../../formats/warm-up';
import { readInput } from '../../pipeline/measure/run-input';
import { editedConfig } from '../../pipeline/step-files';
import { hasWarmUpSamples } from '../../pipeline/warm-up-samples';
import { readPlainText } from '../../platform/plain-entry';
import { takeDevice } from '../../store/device-queue';
import type { LookInput } from '../../studies/search/measure-look';
import type { Prepared } from '../../studies/search/prepare-models';
import { type PlaceHands, searchStep } from '../../studies/search/search-place';
import { searchedReplay } from '../../studies/search/search-replay';
import type { Contest } from '../../studies/search/searches';
import type { Configuration, Variant } from '../../studies/search/variant';
import type { CoreParts } from '../core-parts';
import { requireApproved, requireSoundSpec } from '../core-runs';
import { measurableRun } from '../server-calls';
import { ownConfigs, requireSameParts, type ServedRun } from './own-configs';

/** The engine that reaches a running Triton. */
export const engineAt = ({ url, tls }: Pick<SearchServer, 'url' | 'tls'>): OfKind<'remote'> => ({
  ...{ kind: 'remote', url: withScheme(url) },
  ...present({ tls }),
});

type OfEngine = Pick<DeployedRun, 'runId'> & { readonly source: Pick<DeployedRun['source'], 'spec'> };

/** Throws combination-unsupported for a run that is not served on this machine. */
function requireHere({ source: { spec }, runId }: OfEngine): void {
  if (servesHere(spec.engine)) return;
  throw new WorkbenchError(
    'combination-unsupported',
    'The run is not served on this machine or its Docker Engine, where its model would be loaded',
    {
      where: runId,
      remedy: 'Run the model with the engine "local" or "docker" here, and name that run.',
    },
  );
}

/** Throws combination-unsupported for a run that is served where variants cannot be loaded beside each other. */
export function requireBeside({ source: { spec }, runId }: OfEngine): void {
  if (servesHere(spec.engine) || inContainers(spec.engine)) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `The engine "${spec.engine.kind}" does not serve configurations side by side`,
    {
      where: runId,
      remedy:
        'Run the model with the engine "local" or "docker", here or on a host, and search from that run.',
    },
  );
}

/** The run as it is served by the Docker Engine of a host. Throws combination-unsupported for other engines. */
export function onHost<Of extends OfEngine>(run: Of, host: string): Of {
  const { spec } = run.source;
  const { engine } = spec;
  if (inContainers(engine))
    return { ...run, source: { ...run.source, spec: { ...spec, engine: { ...engine, host } } } };
  throw new WorkbenchError(
    'combination-unsupported',
    `A host serves only with the engine "docker", but this run has "${engine.kind}"`,
    {
      where: '--host',
      remedy: `Search the model or its specification with --host ${host}, or repeat the run there with "run --engine docker --host ${host}".`,
    },
  );
}

/** What a warm-up is tried with. */
type WarmedUp = Partial<Pick<RunSpec['configure'], 'warmup' | 'warmupBatchSizes'>>;

/** The configuration of a run with other fields, by the name that it is served under. @param part of an ensemble */
export async function configsOf(
  run: ServedRun,
  part?: string,
): Promise<(fields: Partial<Configured> & WarmedUp) => Configuration> {
  const { spec, folder } = run;
  const source = repositorySourceOf(spec.model);
  if (source !== null) return ownConfigs(run, source, part);
  const text = await readPlainText(folder.output('convert'), fileLimits.stepJson.bytes);
  const signature = modelArtefactSchema.parse(JSON.parse(text));
  const samples = hasWarmUpSamples(spec)
    ? warmUpSamplesOf(await readConfig(join(folder.repository, spec.configure.modelName, 'config.pbtxt')))
    : undefined;
  return (fields) => ({
    configOf: (modelName) => {
      const configure = warmedWithin({ ...spec.configure, ...fields, modelName });
      const format = formatOf(spec.format);
      return modelConfigOf({ spec: { ...spec, configure }, signature, format, samples });
    },
  });
}

/** The verified model of a run; its inputs are read once. @param require throws where its engine cannot serve it */
export async function openedModel(
  parts: CoreParts,
  runId: string,
  require: (run: OfEngine) => void = requireHere,
) {
  const { state, folder, run } = await measurableRun(parts, runId);
  require(state);
  const { spec } = state.source;
  const inputs = new Map<boolean, ReturnType<typeof readInput>>();
  const { files, version, check, config, samples } = run;
  const isOwn = run.repository !== undefined;
  const verified: Configuration = isOwn
    ? (await configsOf({ spec, folder, runId }))({})
    : { configOf: (modelName) => servingOnly(config, version, modelName) };
  /** Throws input-invalid where the fields do not say what is served. */
  const configBy = async (part?: string) => {
    if ((await editedConfig({ folder, spec })) !== null) {
      throw new WorkbenchError('input-invalid', 'The config.pbtxt of the run was edited by hand', {
        where: runId,
        remedy:
          'A search writes the configuration from the fields: make the edit in the run’s configuration first.',
      });
    }
    return configsOf({ spec, folder, runId }, part);
  };
  return {
    ...{ state, spec, folder, configBy, samples },
    variantOf: (configuration: Configuration): Variant => ({
      ...{ files, version, check, ...configuration, name: spec.configure.modelName },
    }),
    verified,
    lookOf: (
      fields: Partial<Configured>,
      look: Pick<LookInput, 'batchSize' | 'percentile' | 'tool' | 'replay'> & {
        readonly performance: PerformanceSpec;
      },
    ): LookInput => {
      const batched = isOwn
        ? config.maxBatchSize > 0
        : servedMaxBatchSize({ ...spec.configure, ...fields }) > 0;
      const sent = () => {
        // Those of a repository are kept as they are sent.
        const known = inputs.get(batched) ?? readInput(folder, batched || isOwn);
        inputs.set(batched, known);
        return known;
      };
      return { ...look, batched, sent, modelVersion: version };
    },
  };
}
type OpenedModel = Awaited<ReturnType<typeof openedModel>>;

/** A running Triton serves it, whatever engine the run has. */
const anywhere = (): void => undefined;

/** The model of each candidate, and the run whose engine serves them all. */
async function searchedModels(parts: CoreParts, search: SearchStrategy, runIds: Prepared['runIds']) {
  const opened = new Map<
    number,
    OpenedModel & { readonly configured: Awaited<ReturnType<OpenedModel['configBy']>> }
  >();
  const known = runIds.size === 0 ? [[0, search.runId ?? ''] as const] : [...runIds];
  for (const [number, runId] of known) {
    const model = await openedModel(parts, runId, search.server === undefined ? requireBeside : anywhere);
    opened.set(number, { ...model, configured: await model.configBy(search.part) });
  }
  // Of a model that could not be made no candidate is measured.
  const modelOf = (candidate: number) =>
    (opened.get(modelNumberOf(search, candidate)) ?? opened.get(0)) as NonNullable<
      ReturnType<typeof opened.get>
    >;
  // An environment of its own serves the others, too.
  const demanding = [...opened.values()].find(
    ({ spec }) => formatOf(spec.format).shimFramework !== undefined,
  );
  return { modelOf, run: (demanding ?? modelOf(1)).state };
}

/** Where it is served: as the run says, on a host, or by a Triton that is already running. */
function placedAt(
  run: DeployedRun,
  { server, host }: Pick<SearchStrategy, 'server' | 'host'>,
): Pick<Contest, 'run' | 'running'> {
  if (server === undefined) return { run: host === undefined ? run : onHost(run, host) };
  const spec = { ...run.source.spec, engine: engineAt(server) };
  return {
    run: { ...run, source: { ...run.source, spec } },
    running: { mark: server.mark, metricsAddress: server.metrics },
  };
}

async function searchContest(
  parts: CoreParts,
  search: SearchStrategy,
  name: string,
  runIds: Prepared['runIds'],
): Promise<Contest> {
  const { candidates, load, target } = search;
  const { modelOf, run } = await searchedModels(parts, search, runIds);
  const { performance, configure } = modelOf(1).spec;
  const dir = join(parts.layout.studies, name);
  const replay = await searchedReplay(parts, search, dir, configure.modelName);
  return {
    ...placedAt(run, search),
    variants: candidates.map((candidate, at) => {
      const { variantOf, configured } = modelOf(at + 1);
      return variantOf(configured(configuredOf(candidate)));
    }),
    looking: {
      next: (searched) => nextLooks(search, searched, guessesOf(search, searched)),
      isAdmitted: (searched, candidate) => isAdmitted(search, searched, candidate),
      isFailed: ({ looks }) => looks.length === 0,
      memory: search.memory,
    },
    lookOf: (number) => {
      const candidate = candidates[number - 1];
      return modelOf(number).lookOf(candidate === undefined ? {} : configuredOf(candidate), {
        batchSize: candidate?.batchSize ?? load.batchSize,
        ...{ percentile: target.percentile, tool: parts.loadTools.native },
        ...{ performance, replay },
      });
    },
  };
}

/** Throws combination-unsupported where one Triton cannot serve both. */
export function requireTogether(one: DeployedRun, other: DeployedRun): void {
  const placeOf = ({ source: { spec } }: DeployedRun) => {
    const { engine } = spec;
    const framework = servingFramework(spec);
    const isAsIs = repositoryOf(spec.model) !== null;
    const own = { kind: engine.kind, framework, isAsIs };
    if (isProcess(engine)) return { ...own, ...present({ environment: engine.environment }) };
    if (!inContainers(engine)) return own;
    const { images, release, tritonImage, host, gpus } = engine;
    return { kind: engine.kind, framework, isAsIs, ...present({ images, release, tritonImage, host }), gpus };
  };
  if (sameValue(placeOf(one), placeOf(other))) return;
  throw new WorkbenchError('combination-unsupported', 'One Triton cannot serve both runs', {
    where: `${one.runId}, ${other.runId}`,
    remedy:
      'Measure both with the same engine, Triton image, GPUs and framework, and both as a repository has them, or neither.',
  });
}

async function sideOf(model: OpenedModel, { configure }: DuelSide): Promise<Variant> {
  const fields = configure === undefined ? null : present(configure);
  return model.variantOf(fields === null ? model.verified : (await model.configBy())(fields));
}

async function duelContest(parts: CoreParts, duel: DuelStrategy): Promise<Contest> {
  const { loadTools } = parts;
  const [first, second] = duel.sides;
  const { server } = duel;
  const require = server === undefined ? requireBeside : anywhere;
  const one = await openedModel(parts, first.runId, require);
  const other = second.runId === first.runId ? one : await openedModel(parts, second.runId, require);
  if (server === undefined) requireTogether(one.state, other.state);
  const lookOf = (model: OpenedModel, { level, configure = {}, sending = {} }: DuelSide): LookInput => {
    const performance = { ...ofScenario(model.spec.performance, 'online'), ...present(sending) };
    const tool = loadTools[sending.loadTool ?? 'native'];
    return model.lookOf(present(configure), {
      ...{ batchSize: level.batchSize, percentile: 99 },
      tool,
      performance,
    });
  };
  const looks = [lookOf(one, first), lookOf(other, second)] as const;
  const variants = [await sideOf(one, first), await sideOf(other, second)];
  await requireSameParts(variants);
  return {
    ...placedAt(other.state, { server }),
    variants,
    looking: {
      next: (searched) => nextDuelLooks(duel, searched),
      isAdmitted: ({ failed }, candidate) => failed[candidate] === undefined,
      isFailed: ({ failed }) => Object.keys(failed).length > 0,
    },
    lookOf: (number) => looks[number === 1 ? 0 : 1],
  };
}

/** What a study measures by itself, side by side. Throws input-invalid for one of runs, and what opening models throws. */
export async function contestOf(
  parts: CoreParts,
  spec: StudySpec,
  runIds: Prepared['runIds'] = new Map(),
): Promise<Contest> {
  const [search, duel] = [searchOf({ spec }), duelOf({ spec })];
  if (search !== null) return searchContest(parts, search, spec.name, runIds);
  if (duel !== null) return duelContest(parts, duel);
  throw new WorkbenchError('input-invalid', `The study "${spec.name}" measures nothing by itself`);
}

/** Where variants are served, one work at a time. */
export const placeHandsOf = (parts: CoreParts): PlaceHands => ({
  openExecutor: async ({ runId, source: { spec } }, name, dir) => {
    if (spec.engine.kind === 'remote') {
      // Its models are only loaded there: the rules of the run are those of the engine that it had.
      const { state } = await measurableRun(parts, runId);
      await requireSoundSpec(parts, state.source.spec);
      await requireApproved(parts.approvals, spec);
    } else await requireSoundSpec(parts, spec);
    const framework = servingFramework(spec);
    // No container of it needs the model's code or data.
    const { preset, profile, args, source } = spec.model;
    // Backends of a repository choose the framework.
    const own = repositoryOf(spec.model) === null ? {} : present({ source });
    const served = { ...spec, model: { preset, profile, args, ...own } };
    return parts.engines.openExecutor(served, { runId: name, dir, framework, step: () => searchStep });
  },
  takeTurn: async ({ source: { spec } }, name, signal) =>
    takeDevice({
      ...{
        root: parts.layout.devices,
        device: await parts.engines.deviceOf(spec.engine, null),
        what: name,
        signal,
      },
      onWaiting: () => Promise.resolve(),
    }),
});
