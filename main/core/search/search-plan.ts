import { availableParallelism } from 'node:os';
import { invalidInput } from '../../contract/errors';
import { hostOf, visibleGpus } from '../../contract/run/engine-kinds';
import { repositoryOf } from '../../contract/run/run-spec';
import type { DeployedRun } from '../../contract/run/run-state';
import type { Choice, SpecPreview } from '../../contract/run/spec-tools';
import type { SearchRequest, SearchServer } from '../../contract/study/search';
import type { SearchPlan } from '../../contract/study/study';
import { mergeTrees, present, sameValue, type Tree, unsetAt } from '../../contract/trees';
import { largestOf } from '../../domain/statistics';
import { type BeforeLoad, loadQuestion } from '../../domain/study/load-question';
import { noModels, type PlannedModels, type UnmadeRun } from '../../domain/study/search/plan-models';
import { planSearch } from '../../domain/study/search/plan-search';
import { modelOf, modelText, type WantedModel, wantedModels } from '../../domain/study/search/search-models';
import { minimalOverrides } from '../../presets/resolve-spec';
import { withReplayRead } from '../../studies/search/search-replay';
import type { CoreParts } from '../core-parts';
import { measurableRun } from '../server-calls';
import { onHost, requireBeside } from './contests';
import { ownFilter, partSpec, requireOwnPlace, requireOwnSpace } from './own-configs';
import { searchedServer } from './search-server';

export interface Base {
  readonly run: DeployedRun | UnmadeRun;
  /** What leads to it. */
  readonly choice: Choice;
}

/** Only TensorRT captures CUDA graphs, and a plan has its largest batch built in. */
function changeOf({ format, precision, backendAccelerator: by }: WantedModel, largest: number): Tree {
  const isPlan = format === 'trt';
  const configure = {
    ...(by === null ? {} : { backendAccelerator: by }),
    ...(by === null || by === 'trt' || isPlan ? {} : { captureCudaGraph: false }),
    ...(isPlan ? { maxBatchSize: largest } : {}),
  };
  return { format, precision, configure };
}

const ofFormat: readonly (readonly string[])[] = [
  ['configure', 'backendAccelerator'],
  ['configure', 'captureCudaGraph'],
];

/** The choice with another model; without an accelerator, that of the preset for the format. */
function choiceOf({ preset, overrides }: Choice, wanted: WantedModel, largest: number): Choice {
  const kept = wanted.backendAccelerator === null ? ofFormat.reduce(unsetAt, overrides) : overrides;
  return { preset, overrides: mergeTrees(kept, changeOf(wanted, largest)) };
}

/** Made and served by the Docker Engine of a host. */
const onHostOf = ({ preset, overrides }: Choice, host: string | undefined): Choice => ({
  preset,
  overrides: host === undefined ? overrides : mergeTrees(overrides, { engine: { kind: 'docker', host } }),
});

const problemOf = ({ problems }: SpecPreview) => problems.find(({ severity }) => severity === 'problem');

interface Place {
  /** Of the machine that serves. */
  readonly processors: number;
  readonly server?: SearchServer;
  readonly notes: readonly string[];
  /** A Triton that runs already, before anything is loaded. */
  readonly before?: BeforeLoad;
}

/** Throws input-invalid. */
function requireConsistent({ runId, choice, server, host }: SearchRequest): void {
  if ((runId === undefined) === (choice === undefined)) {
    throw invalidInput('runId', 'A search needs either a run or a choice of model');
  }
  if (server === undefined || host === undefined) return;
  const message = 'A search measures either on a host or on a running Triton';
  throw invalidInput('--host', message, 'Give one of --host and --url.');
}

/** Throws host-unknown, host-unreachable, docker-unreachable. */
async function onHostNamed({ hosts }: Pick<CoreParts, 'hosts'>, host: string): Promise<Place> {
  const { NCPU } = await (await hosts.link(host)).info();
  return { processors: Math.max(1, NCPU), notes: [`Served and measured on the host ${host}.`] };
}

/** Where the configurations will be served. Throws as {@link searchedServer}, and for a host. */
async function placeOf(
  parts: CoreParts,
  { run }: Base,
  { server: given, host }: Pick<SearchRequest, 'server' | 'host'>,
): Promise<Place> {
  const { spec } = run.source;
  if (given !== undefined) {
    const { server, note, before } = await searchedServer(parts, spec, given);
    return { processors: availableParallelism(), server, notes: [note], before };
  }
  const served = host === undefined || run.runId === null ? run : onHost(run, host);
  const there = hostOf(served.source.spec.engine);
  return there === undefined ? { processors: availableParallelism(), notes: [] } : onHostNamed(parts, there);
}

/** What a search starts from. Throws run-unknown, input-invalid, verification-failed. */
export function createSearchBase(
  parts: CoreParts,
  preview: (choice: Choice) => Promise<SpecPreview>,
): (of: Pick<SearchRequest, 'runId' | 'choice'>) => Promise<Base> {
  const { presetOf, settings } = parts;

  const ofRun = async (runId: string): Promise<Base> => {
    const { state } = await measurableRun(parts, runId);
    const { spec } = state.source;
    const { preset } = await presetOf(spec.model);
    return { run: state, choice: { preset: spec.model.preset, overrides: minimalOverrides(preset, spec) } };
  };

  /** Throws the first problem of the choice. */
  const ofChoice = async (choice: Choice): Promise<Base> => {
    const found = await preview(choice);
    const problem = problemOf(found);
    if (found.spec === null || problem !== undefined) {
      const { field, message = 'The choice is incomplete', remedy = null } = problem ?? {};
      throw invalidInput(field, message, remedy ?? undefined);
    }
    const { values } = await settings.read();
    const p99BudgetMs = values['deployment.p99BudgetMs'];
    return { run: { runId: null, source: { spec: found.spec }, p99BudgetMs }, choice };
  };
  return ({ runId = '', choice }) => (choice === undefined ? ofRun(runId) : ofChoice(choice));
}

/** A repository that is served as it is has its own files. */
const ownModels = ({ run, choice }: Base): PlannedModels => ({
  ...noModels,
  base: run.runId === null ? choice : null,
});

export function createSearchPlan(
  parts: CoreParts,
  preview: (choice: Choice) => Promise<SpecPreview>,
): (request: SearchRequest & { readonly name: string }) => Promise<SearchPlan> {
  const { presetOf } = parts;
  const started = createSearchBase(parts, preview);

  const modelsFor = async ({ run, choice }: Base, { space }: SearchRequest): Promise<PlannedModels> => {
    const { spec } = run.source;
    const present = modelOf(spec);
    const { preset } = await presetOf(spec.model);
    const onGpu = (visibleGpus(spec.engine) ?? []).length > 0;
    const wanted = wantedModels(present, space, { onGpu, precisions: preset.precisions });
    const largest = largestOf([spec.configure.maxBatchSize, ...(space.maxBatchSize ?? [])]);
    const tried: { model: ReturnType<typeof modelOf>; choice: Choice }[] = [];
    const notes: string[] = [];
    for (const one of wanted) {
      if (sameValue(one, present)) {
        tried.push({ model: present, choice });
        continue;
      }
      const own = choiceOf(choice, one, largest);
      const found = await preview(own);
      const problem = problemOf(found);
      if (found.spec === null || problem !== undefined) {
        const { message = 'it is incomplete' } = problem ?? {};
        const name = modelText({ ...one, backendAccelerator: one.backendAccelerator ?? 'none' });
        notes.push(`Left out: ${name}: ${message}.`);
      } else tried.push({ model: modelOf(found.spec), choice: own });
    }
    const isUsual = space.format === undefined && space.precision === undefined && tried.length > 1;
    if (isUsual && onGpu)
      notes.push('The other precision is tried as well, because the model runs on a GPU.');
    return { base: run.runId === null ? choice : null, tried, notes };
  };

  const baseOf = async ({ runId, choice, server, host }: SearchRequest): Promise<Base> => {
    const base = await started({ runId, choice: choice && onHostOf(choice, host) });
    // What is made first is made by the engine of the run.
    if (server === undefined || runId === undefined) {
      const { spec } = base.run.source;
      requireBeside({ source: { spec }, runId: base.run.runId ?? choice?.preset ?? '' });
    }
    return base;
  };

  /** As if the run were of the model in its ensemble. */
  const ofPart = async (base: Base, part: string | undefined): Promise<Base> => {
    if (part === undefined) return base;
    const { run } = base;
    if (run.runId === null) throw invalidInput('--part', '--part applies only to a run of an ensemble');
    const { folder } = await parts.store.load(run.runId);
    const spec = await partSpec({ spec: run.source.spec, folder, runId: run.runId }, part);
    return { ...base, run: { ...run, source: { ...run.source, spec } } };
  };

  return async (request) => {
    requireConsistent(request);
    const { runId, choice, server: given, host, ...asked } = request;
    const whole = await baseOf({ ...request, choice });
    const { modelName } = whole.run.source.spec.configure;
    const base = await ofPart(whole, request.part);
    const { spec } = base.run.source;
    requireOwnPlace(whole.run.source.spec, given !== undefined);
    requireOwnSpace(spec, asked.space);
    const isServable = ownFilter(spec) ?? undefined;
    const onGpu = (visibleGpus(spec.engine) ?? []).length > 0;
    const read = await withReplayRead(parts, asked, modelName);
    const isOwn = repositoryOf(spec.model) !== null;
    const models = isOwn ? ownModels(base) : await modelsFor(base, request);
    const { notes, before, ...place } = await placeOf(parts, base, { server: given, host });
    // What is made first has the host in its own specification.
    const at = present({ server: given, host: runId === undefined ? undefined : host });
    const plan = planSearch(base.run, { ...read, ...at }, { onGpu, ...place, isServable }, models);
    const asks = before === undefined ? undefined : loadQuestion(before, plan.candidates.length);
    return { ...plan, notes: [...notes, ...plan.notes], ...present({ asks }) };
  };
}
