import { availableParallelism } from 'node:os';
import { invalidInput } from '../contract/errors';
import { visibleGpus } from '../contract/run/engine-kinds';
import type { DeployedRun } from '../contract/run/run-state';
import type { Choice, SpecPreview } from '../contract/run/spec-tools';
import type { SearchRequest } from '../contract/study/search';
import type { SearchPlan } from '../contract/study/study';
import { mergeTrees, present, sameValue, type Tree, unsetAt } from '../contract/trees';
import { largestOf } from '../domain/statistics';
import { loadQuestion } from '../domain/study/load-question';
import type { PlannedModels, UnmadeRun } from '../domain/study/search/plan-models';
import { planSearch } from '../domain/study/search/plan-search';
import { modelOf, modelText, type WantedModel, wantedModels } from '../domain/study/search/search-models';
import { minimalOverrides } from '../presets/resolve-spec';
import { withReplayRead } from '../studies/search/search-replay';
import { requireHere } from './contests';
import type { CoreParts } from './core-parts';
import { searchedServer } from './search-server';
import { verifiedRun } from './server-calls';

interface Base {
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

const problemOf = ({ problems }: SpecPreview) => problems.find(({ severity }) => severity === 'problem');

export function createSearchPlan(
  parts: CoreParts,
  preview: (choice: Choice) => Promise<SpecPreview>,
): (request: SearchRequest & { readonly name: string }) => Promise<SearchPlan> {
  const { presetOf, settings } = parts;

  const ofRun = async (runId: string): Promise<Base> => {
    const { state } = await verifiedRun(parts, runId, false);
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

  return async (request) => {
    const { runId, choice, server: given, ...asked } = request;
    if ((runId === undefined) === (choice === undefined)) {
      throw invalidInput('runId', 'A search is of a run or of a choice');
    }
    const base = choice === undefined ? await ofRun(runId ?? '') : await ofChoice(choice);
    const { spec } = base.run.source;
    // What is made first is made by the engine of the run.
    if (given === undefined || runId === undefined) {
      requireHere({ source: { spec }, runId: base.run.runId ?? choice?.preset ?? '' });
    }
    const onGpu = (visibleGpus(spec.engine) ?? []).length > 0;
    const read = await withReplayRead(parts, asked, spec.configure.modelName);
    const models = await modelsFor(base, request);
    const found = given === undefined ? null : await searchedServer(parts, spec, given);
    const machine = { onGpu, processors: availableParallelism(), server: found?.server };
    const plan = planSearch(base.run, { ...read, ...present({ server: given }) }, machine, models);
    return found === null
      ? plan
      : {
          ...plan,
          notes: [found.note, ...plan.notes],
          asks: loadQuestion(found.before, plan.candidates.length),
        };
  };
}
