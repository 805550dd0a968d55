import { invalidInput, WorkbenchError } from '../../../contract/errors';
import { formatBytes } from '../../../contract/numbers';
import type { DeployedRun } from '../../../contract/run/run-state';
import type { Choice } from '../../../contract/run/spec-tools';
import type { JointModel, JointRequest, JointStrategy } from '../../../contract/study/joint';
import type { JointPlan } from '../../../contract/study/study';
import { smallestOf } from '../../statistics';
import type { SearchMachine } from '../search/candidates';
import { confirmRounds } from '../search/next-looks';
import { noModels, type UnmadeRun } from '../search/plan-models';
import { planSearch, windowMs } from '../search/plan-search';
import { modelLine } from './joint-answer';

/** A model of a request, with its run or what makes it. */
export interface AskedModel {
  readonly run: DeployedRun | UnmadeRun;
  /** null: it has a run. */
  readonly choice: Choice | null;
}

const usualBudgetS = 300;
/** Shorter where the budget is small. */
const lookMs = { least: 600, usual: 2000 } as const;
const fullMs = 6000;
/** Looks of the present set until its limit is known, at least. */
const fewestLooks = 8;
/** The last comparison takes no more than this share of the budget. */
const comparisonShare = 2 / 5;
/** A p99 of fewer requests is that of a handful. */
const fewRequests = 100;

/** Inferences/s of each at a load factor of 1. Throws input-invalid for rates beside shares. */
function ratesOf({ models }: JointRequest): { readonly isMix: boolean; readonly rates: readonly number[] } {
  const isMix = models.some(({ share }) => share !== undefined);
  const rates = models.map(({ rate, share }, at) => {
    const own = isMix ? share : rate;
    if (own !== undefined && (rate === undefined || share === undefined)) return own;
    const message = isMix
      ? 'Either all models have a share of the mix, or all have a rate'
      : 'The model has neither a rate nor a share';
    throw invalidInput(`models.${at}`, message, 'Give rate: inferences per second, or share: of the mix.');
  });
  const sum = isMix ? rates.reduce((total, one) => total + one, 0) : 1;
  return { isMix, rates: rates.map((one) => one / sum) };
}

/** One of a name is enough. */
function titlesOf(models: readonly AskedModel[], { models: asked }: JointRequest): readonly string[] {
  const names = models.map(({ run }, at) => asked[at]?.title ?? run.source.spec.configure.modelName);
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} ${at + 1}`));
}

/** As of the file, and not of the command. */
function ofModel(cause: unknown, at: number): unknown {
  if (!(cause instanceof WorkbenchError) || cause.code !== 'input-invalid') return cause;
  const isTarget = cause.where === '--p99';
  return invalidInput(
    `models.${at}${isTarget ? '.p99Ms' : '.space'}`,
    cause.message,
    isTarget ? 'Give its target in milliseconds, for example p99Ms: 20.' : 'Give other values in its space.',
  );
}

/** Its configurations and target, as a search of it has them. Throws input-invalid. */
function plannedModel(
  { run }: AskedModel,
  { space = {}, p99Ms, batchSize }: JointRequest['models'][number],
  machine: Omit<SearchMachine, 'targetUs'>,
  { title, rate }: { readonly title: string; readonly rate: number },
): { readonly model: JointModel; readonly notes: readonly string[] } {
  const latency = p99Ms === undefined ? {} : { latencyUs: Math.max(1, Math.round(1000 * p99Ms)) };
  const size = batchSize === undefined ? {} : { batchSize };
  // The budget is that of all together.
  const asked = { name: title, space, load: 'open', budgetS: 1e6, ...latency, ...size } as const;
  const { search, notes } = planSearch(run, asked, machine, noModels);
  const { candidates, target, load } = search;
  return {
    model: {
      ...{ title, runId: run.runId, candidates, batchSize: load.batchSize, rate },
      ...{ percentile: target.percentile, errorPercentage: target.errorPercentage },
      latencyUs: target.latencyUs ?? 1,
    },
    notes: notes.map((note) => `${title}: ${note}`),
  };
}

/** Throws input-invalid for a budget without the limit of the present set and the last comparison. */
function requireEnough({ budgetS, lookMs: eachMs, fullMs: comparedMs }: JointStrategy): void {
  const least = Math.ceil((fewestLooks * eachMs + 2 * confirmRounds * comparedMs) / 1000);
  if (budgetS >= least) return;
  const message = `A search of several models needs at least ${least} s of load`;
  throw invalidInput(
    'budgetS',
    message,
    `Give more time, for example budgetS: ${least} in the file, or --budget ${least}s.`,
  );
}

function memoryOf({ gpuMemoryMiB, hostMemoryMiB }: JointRequest): Pick<JointStrategy, 'memory'> {
  const memory = {
    ...(gpuMemoryMiB === undefined ? {} : { gpuBytes: gpuMemoryMiB * 2 ** 20 }),
    ...(hostMemoryMiB === undefined ? {} : { hostBytes: hostMemoryMiB * 2 ** 20 }),
  };
  return Object.keys(memory).length === 0 ? {} : { memory };
}

/** Milliseconds of a look at all, and of one of the last comparison: longer where the lowest rate is low. */
function windowsOf(models: readonly JointModel[], budgetS: number, isMix: boolean) {
  const count = models.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const eachMs = (1000 * budgetS) / (2 * (count + 2 * confirmRounds));
  // Of a mix the total is not known before.
  const lowest = isMix ? undefined : smallestOf(models.map(({ rate, batchSize }) => rate / batchSize));
  const afforded = (1000 * budgetS) / (2 * (fewestLooks + 2 * confirmRounds));
  const usual = Math.round(Math.min(lookMs.usual, Math.max(lookMs.least, afforded)));
  const own = windowMs(usual, lowest, eachMs);
  const most = Math.floor((1000 * comparisonShare * budgetS) / (2 * confirmRounds));
  return { lookMs: own, fullMs: Math.min(Math.max(fullMs, own), Math.max(own, most)), lowest };
}

/** The search of several models that a request asks for. Throws input-invalid. Pure. */
export function planJoint(
  asked: readonly AskedModel[],
  request: JointRequest & { readonly name: string },
  machine: Omit<SearchMachine, 'targetUs'>,
): JointPlan {
  const { objective = 'load', budgetS = usualBudgetS, name } = request;
  const { isMix, rates } = ratesOf(request);
  if (isMix && objective === 'instances') {
    const message = 'The objective "instances" needs a rate for each model, not a share';
    throw invalidInput('objective', message, 'Give each model a rate in place of its share.');
  }
  const titles = titlesOf(asked, request);
  const planned = request.models.map((model, at) => {
    const [one, title = '', rate = 0] = [asked[at] as AskedModel, titles[at], rates[at]];
    try {
      return plannedModel(one, model, machine, { title, rate });
    } catch (cause) {
      throw ofModel(cause, at);
    }
  });
  const models = planned.map(({ model }) => model);
  const { lowest, ...windows } = windowsOf(models, budgetS, isMix);
  const joint: JointStrategy = {
    ...{ kind: 'joint', models, isMix, objective, ...memoryOf(request), budgetS },
    ...windows,
  };
  requireEnough(joint);
  const { gpuBytes, hostBytes } = joint.memory ?? {};
  const choices = asked.flatMap(({ choice }) => choice ?? []);
  const perLook = lowest === undefined ? null : Math.round((lowest * windows.lookMs * 2) / 3000);
  return {
    joint,
    spec: {
      name,
      strategy: { ...joint, trials: choices.map((choice) => ({ choice, axes: [], refusal: null })) },
      hosts: null,
    },
    notes: [
      objective === 'load'
        ? 'Objective: the most load within all targets, in the proportion of the rates.'
        : 'Objective: the fewest model instances that hold the rates within all targets.',
      ...models.map((model) => `${modelLine(joint, model)}.`),
      ...planned.flatMap(({ notes }) => notes),
      ...(gpuBytes === undefined ? [] : [`GPU memory of all: at most ${formatBytes(gpuBytes)}.`]),
      ...(hostBytes === undefined ? [] : [`Host memory of all: at most ${formatBytes(hostBytes)}.`]),
      ...(choices.length === 0
        ? []
        : [
            `Prepared first, each up to its accuracy check and not counted as load: ${titles.filter((_title, at) => asked[at]?.choice !== null).join(', ')}.`,
          ]),
      ...(perLook === null || perLook >= fewRequests
        ? []
        : [
            `A measurement has about ${perLook} requests of the model with the lowest rate: its p99 is coarse.`,
          ]),
    ],
  };
}

/** Measurements of all models together that its budget has room for, those of the last comparison among them. Pure. */
export function mostLooks({ budgetS, lookMs, fullMs }: JointStrategy): number {
  const last = 2 * confirmRounds;
  return last + Math.max(0, Math.floor((1000 * budgetS - last * fullMs) / lookMs));
}
