import { isJobEngine } from '../../../main/contract/job/run-job';
import { stagesOf, stagesText } from '../../../main/contract/load/stages';
import { isTaskFigure, taskFigureBetter } from '../../../main/contract/measured/task-figures';
import { formatDuration } from '../../../main/contract/numbers';
import {
  askedGpus,
  backendsOf,
  imageFamily,
  inContainers,
  isElsewhere,
} from '../../../main/contract/run/engine-kinds';
import { formatFacts } from '../../../main/contract/run/model-formats';
import type { Preset } from '../../../main/contract/run/preset';
import { type StepId, stepsOf } from '../../../main/contract/run/run-events';
import { type Replay, repositoryOf, type RunSpec, sourceSchema } from '../../../main/contract/run/run-spec';
import type { ChangePlan, FieldChange } from '../../../main/contract/run/spec-tools';
import { ofScenarios, scenarioLevels } from '../../../main/contract/run/sweep';
import type { Settings } from '../../../main/contract/settings/settings';
import { getAt, sameValue } from '../../../main/contract/trees';
import { stepTitle, thresholdSign } from '../../../main/contract/words';
import { instancesText } from '../../../main/domain/run/serving';
import { counted, formatText, loadToolText, precisionText } from '../../format/words';
import type { Change } from './changes';

const list = (values: readonly number[]): string => values.join(', ');

function replayPlanText({ speed, read }: Replay): string {
  if (read === undefined) return '1 level: the requests of the trace';
  const text = `${counted(read.requests, 'request')} of ${formatDuration((1e6 * read.seconds) / speed)}`;
  return `1 level: the trace with ${text}`;
}

function onlineText(performance: RunSpec['performance']): string {
  const { requestRates, requestIntervalsUs, replay, stages, concurrency, search, latencyThresholdMs } =
    performance;
  const found =
    search === 'none' ? '' : `, of which a ${search} search for p99 ≤ ${latencyThresholdMs} ms tries some`;
  if (replay !== undefined) return replayPlanText(replay);
  if (stages !== undefined) {
    const levels = scenarioLevels(performance, 'online').flatMap(({ requestRate }) => requestRate ?? []);
    return `${counted(levels.length, 'level')}: ${levels.map((rate) => stagesText(stagesOf(stages, rate))).join('; ')}`;
  }
  if (requestIntervalsUs.length > 0) return `1 level: ${requestIntervalsUs.length} intervals in turn`;
  return requestRates.length > 0
    ? `${counted(requestRates.length, 'level')}: ${list(requestRates)} requests/s${found}`
    : `${counted(concurrency.length, 'level')}: concurrency ${list(concurrency)}${found}`;
}

type Metrics = Preset['metrics'];

const what: Readonly<Record<StepId, (spec: RunSpec, metrics: Metrics) => string>> = {
  images: ({ engine }) =>
    inContainers(engine) ? `Builds or pulls what is missing (${imageFamily(engine)})` : 'Needs no images',
  'prepare-data': ({ model }) => model.dataset ?? 'Generates a small data set',
  export: ({ format, onnxOpset }) =>
    `${formatText[format]}${format === 'onnx' ? `, opset ${onnxOpset}` : ''}, from FP32 weights`,
  convert: ({ precision }) =>
    precision === 'fp32' ? 'Checks the exported file' : `To ${precisionText[precision]}`,
  configure: (spec) =>
    `${repositoryOf(spec.model) === null ? 'config.pbtxt' : 'The repository’s own files and config.pbtxt'}: max_batch_size ${spec.configure.maxBatchSize}, ${spec.configure.batching} batching, instances: ${instancesText(spec)}`,
  deploy: ({ engine, configure }) => {
    const asked = askedGpus(engine);
    const gpus = asked.length > 0 ? `, GPUs ${asked.join(', ')}` : '';
    if (isElsewhere(engine)) {
      return `Uses Triton at ${engine.url} and checks ${configure.modelName}`;
    }
    if (isJobEngine(engine)) return `Starts Triton in the job and loads ${configure.modelName}`;
    return `Starts Triton (${engine.kind}${gpus}) and loads ${configure.modelName}`;
  },
  accuracy: ({ accuracy }, metrics) => {
    const limits = Object.entries(accuracy.thresholds).map(([name, value]) => {
      const ofFigure = isTaskFigure(name) ? { better: taskFigureBetter(name) } : {};
      const metric = metrics.find((known) => known.name === name) ?? ofFigure;
      return `${name} ${thresholdSign(metric)} ${value}`;
    });
    return ['Framework against Triton', ...limits].join('; ');
  },
  'profile-data': ({ performance }) =>
    `Input values: ${performance.inputData === 'file' ? (performance.inputDataFile ?? 'file') : performance.inputData}`,
  offline: ({ performance }) =>
    `${counted(performance.batchSizes.length, 'level')}: batch size ${list(performance.batchSizes)}; concurrency 1`,
  online: ({ performance }) => `${onlineText(performance)}; batch size ${performance.onlineBatchSize}`,
  report: ({ performance }) => {
    const tools = new Set(ofScenarios(performance).map(({ loadTool }) => loadToolText[loadTool]));
    return `HTML, PDF and CSV; measured by ${[...tools].join(' and ')}`;
  },
};

export const planText = (
  spec: RunSpec,
  metrics: Metrics,
): readonly { readonly step: StepId; readonly title: string; readonly what: string }[] =>
  stepsOf(spec).map((step) => ({ step, title: stepTitle[step], what: what[step](spec, metrics) }));

export function runFiles(spec: RunSpec): readonly { readonly path: string; readonly what: string }[] {
  const { modelName, modelVersion } = spec.configure;
  const { fileName } = formatFacts[spec.format];
  const isAsIs = repositoryOf(spec.model) !== null;
  const repository = `steps/configure/model-repository/${modelName}`;
  const version = `${repository}/${modelVersion}`;
  return [
    { path: 'run.yaml', what: 'the specification' },
    { path: 'journal.jsonl', what: 'every event, line by line' },
    { path: `${repository}/config.pbtxt`, what: 'how Triton serves the model' },
    ...(isAsIs ? [] : [{ path: `${version}/${fileName}`, what: 'the model' }]),
    ...(spec.format === 'trt'
      ? [{ path: `${version}/${fileName}.json`, what: 'versions that the plan was built with' }]
      : []),
    ...(backendsOf(spec.engine) === 'python' && !isAsIs
      ? ['model.py', 'serving_shim.py'].map((name) => ({
          path: `${version}/${name}`,
          what: 'serves it in the Python backend',
        }))
      : []),
    { path: 'steps/<step>/step.log', what: 'log of each step' },
    { path: 'results/', what: 'report as HTML, PDF, CSV and JSON' },
  ];
}

/** Text that JSON would read as something else ("26.07") is quoted, so that it stays text. */
function assigned(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}

const isPlainName = (name: string): boolean => /^[\w*-]+$/.test(name);

/**
 * Adds the engine of the draft where the command line would choose another: for a published GPU that of the
 * publication, else that of the settings.
 */
export function commandChanges(
  changes: readonly Pick<Change, 'keys' | 'to'>[],
  engineKind: unknown,
  ofSettings: Settings['deployment.engine'] = 'preset',
): readonly Pick<Change, 'keys' | 'to'>[] {
  const isAt = (path: string) => changes.some(({ keys }) => keys.join('.') === path);
  const takesAnother = isAt('targetGpu') || (ofSettings !== 'preset' && ofSettings !== engineKind);
  return takesAnother && !isAt('engine.kind')
    ? [{ keys: ['engine', 'kind'], to: engineKind }, ...changes]
    : changes;
}

export function modelWords(preset: string, source: unknown): readonly string[] {
  const parsed = sourceSchema.safeParse(source);
  if (!parsed.success) return [preset];
  const { kind, path, inputs, batched, repository } = parsed.data;
  const isTyped = ({ shape }: (typeof inputs)[number]) => shape.slice(batched ? 1 : 0).includes(-1);
  // TorchScript files have no shapes; they were typed.
  const shapes = kind === 'torchscript' ? inputs : kind === 'repository' ? inputs.filter(isTyped) : [];
  const beside = repository?.with ?? [];
  const others = beside.length === 0 ? [] : ['--with', beside.join(',')];
  return [
    path,
    ...others,
    ...shapes.flatMap(({ name, sample }) => ['--shape', `${name}=${sample.join(',')}`]),
  ];
}

/** Options for `--set`. A name that it cannot take goes into the value of what holds it. */
const assignments = (changes: readonly Pick<Change, 'keys' | 'to'>[]): readonly string[] =>
  changes.flatMap(({ keys, to }) => {
    const odd = keys.findIndex((name) => !isPlainName(name));
    const outer = odd === -1 ? keys : keys.slice(0, odd);
    const value = keys.slice(outer.length).reduceRight<unknown>((inner, name) => ({ [name]: inner }), to);
    return ['--set', `${outer.join('.')}=${assigned(value)}`];
  });

/**
 * The equivalent command.
 * @param noGpu the command line would otherwise take what is published for the GPU that it finds
 */
export function cliCommand(
  model: readonly string[],
  changes: readonly Pick<Change, 'keys' | 'to'>[],
  {
    noGpu = false,
    p99BudgetMs = null,
    name = '',
  }: { noGpu?: boolean; p99BudgetMs?: number | null; name?: string } = {},
): readonly string[] {
  const budget = [
    ...(p99BudgetMs === null ? [] : ['--p99-budget-ms', String(p99BudgetMs)]),
    ...(name.trim() === '' ? [] : ['--name', name.trim()]),
  ];
  const gpu = noGpu ? ['--gpu', 'none'] : [];
  return ['triton-workbench', 'run', ...model, ...gpu, ...assignments(changes), ...budget];
}

/** "3 of 5 measurements kept". */
export const keptText = ({ measured, kept }: Pick<ChangePlan, 'measured' | 'kept'>): string =>
  measured === 0 && kept === 0
    ? 'nothing measured yet'
    : `${kept} of ${counted(Math.max(measured, kept), 'measurement')} kept`;

/** "2 changes: 3 steps to do, 3 of 5 measurements kept". */
export function planSummary(plan: ChangePlan): string {
  const { changed, steps } = plan;
  if (changed.length === 0) return 'No changes yet';
  return `${counted(changed.length, 'change')}: ${counted(steps.length, 'step')} to do, ${keptText(plan)}`;
}

/**
 * The equivalent command; null: nothing changes, a field is removed, or the name of a tensor or metric has a dot, which
 * its path cannot express.
 */
export function resumeCommand(
  runId: string,
  changed: readonly FieldChange[],
  spec: RunSpec,
): readonly string[] | null {
  const sets = changed.map(({ path, to }) => ({ keys: path.split('.'), to }));
  const canBeTyped = sets.every(({ keys, to }) => to !== undefined && sameValue(getAt(spec, keys), to));
  return sets.length === 0 || !canBeTyped
    ? null
    : ['triton-workbench', 'resume', runId, ...assignments(sets)];
}
