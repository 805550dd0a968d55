import { isAbsolute, resolve } from 'node:path';
import { isTaskFigure, taskFigureBetter, taskFigureNames } from '../contract/measured/task-figures';
import { isElsewhere, isProcess } from '../contract/run/engine-kinds';
import { isFileSource } from '../contract/run/own-model';
import type { Preset } from '../contract/run/preset';
import { stepIds } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { isLowerBetter } from '../contract/words';
import { lengthFindings } from '../domain/run/length-rules';
import { runLoadFindings } from '../domain/run/load-rules';
import {
  allOf,
  type Found,
  notAbsolute,
  problem,
  type RuleFinding,
  unsupported,
  warning,
} from '../domain/run/rule-finding';
import { shapeFinding } from '../domain/run/shape-finding';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { configuredTraits, demandedLoad } from '../triton/model-traits';
import { accelerationProblems, gpuFindings } from './acceleration-rules';
import { engineProblems } from './engine-rules';
import { repositoryFindings } from './repository-rules';

const listed = (values: readonly string[]) => (values.length === 0 ? 'none' : values.join(', '));

/** Why the preset lacks a documented format; without a full stop. */
function reasonOf(preset: Preset, value: string): string {
  const found = preset.notOffered?.find(({ format }) => format === value);
  return found === undefined ? '' : `. ${found.reason.replace(/\.$/, '')}`;
}

function offered(preset: Preset, spec: RunSpec): Found {
  const refusal = (field: 'format' | 'precision', values: readonly string[]): Found => {
    const value = spec[field];
    const message = `${preset.title} does not support ${value}${reasonOf(preset, value)}`;
    return !values.includes(value) && unsupported(field, message, `Choose ${listed(values)}.`);
  };
  return allOf(refusal('format', preset.formats), refusal('precision', preset.precisions));
}

function batching({ configure }: RunSpec): Found {
  const { maxBatchSize, preferredBatchSizes } = configure;
  if (configure.batching !== 'dynamic') return null;
  if (maxBatchSize === 0) {
    return problem(
      'configure.maxBatchSize',
      'Dynamic batching requires a maximum batch size of at least 1',
      'Raise it, or set batching to "disabled".',
    );
  }
  const over = preferredBatchSizes.filter((size) => size > maxBatchSize);
  return (
    over.length > 0 &&
    problem(
      'configure.preferredBatchSizes',
      `${over.join(', ')} exceeds the maximum batch size ${maxBatchSize}`,
      `Raise the maximum batch size, or remove preferred sizes above ${maxBatchSize}.`,
    )
  );
}

/** The load, with the demands of config.pbtxt. */
function load({ performance, configure, engine }: RunSpec): Found {
  return runLoadFindings(
    { engine, performance: demandedLoad(performance, configure) },
    {
      name: configure.modelName,
      maxBatchSize: servedMaxBatchSize(configure),
      traits: configuredTraits(configure),
    },
  );
}

const mostInt32 = 2 ** 31 - 1;

/** Triton refuses a config.pbtxt with a larger value than int32. */
function configNumbers({ configure }: RunSpec): Found {
  const { maxBatchSize, preferredBatchSizes, instances } = configure;
  const tooLarge = (field: string, name: string, values: readonly number[]): Found => {
    const value = values.find((one) => one > mostInt32);
    return (
      value !== undefined &&
      problem(
        `configure.${field}`,
        `${value} is too large: ${name} in config.pbtxt is an int32`,
        `Use at most ${mostInt32}.`,
      )
    );
  };
  return allOf(
    tooLarge('maxBatchSize', 'max_batch_size', [maxBatchSize]),
    tooLarge('preferredBatchSizes', 'preferred_batch_size', preferredBatchSizes),
    tooLarge('instances', 'count of instance_group', [instances]),
  );
}

/** Steps run in their own folders, and containers mount by absolute path. */
function ownFile(field: string, path: string | undefined): Found {
  if (path === undefined) return null;
  if (!isAbsolute(path)) return notAbsolute(field, path);
  const hasName = !path.includes('\0') && resolve(path) !== '/';
  const remedy = 'Use a file or folder below "/".';
  return !hasName && problem(field, 'The path does not name a file or folder', remedy);
}

type BetterOf = Pick<Preset['metrics'][number], 'better'>;

/** Of the preset, or beside a golden file those of a labeled data set. */
function metricOf(preset: Preset, golden: string | undefined, name: string): BetterOf | undefined {
  const ofFigure =
    golden !== undefined && isTaskFigure(name) ? { better: taskFigureBetter(name) } : undefined;
  return preset.metrics.find((known) => known.name === name) ?? ofFigure;
}

function threshold(preset: Preset, golden: string | undefined, name: string, value: number): Found {
  const field = `accuracy.thresholds.${name}`;
  const metric = metricOf(preset, golden, name);
  if (metric === undefined) {
    const ofFigures = golden === undefined ? [] : taskFigureNames;
    const known = listed([...preset.metrics.map((one) => one.name), ...ofFigures]);
    return problem(field, `${preset.title} has no metric "${name}"`, `Its metrics are: ${known}.`);
  }
  if (isLowerBetter(metric)) {
    // Such metrics are errors and risks: 0 at best, without an upper bound.
    return value < 0 && warning(field, 'No value reaches a threshold below 0', 'Use 0 or more.');
  }
  if (value >= 0 && value <= 1) return null;
  const what = value > 1 ? 'No value reaches a threshold above 1' : 'Every value passes a threshold below 0';
  return warning(field, what, 'Use a fraction, for example 0.9 for 90 %.');
}

function accuracy(preset: Preset, spec: RunSpec): Found {
  const outputs = preset.signature.outputs.map((tensor) => tensor.name);
  const tolerances = (['atol', 'rtol', 'maxMismatch'] as const).flatMap((kind) =>
    Object.keys(spec.accuracy[kind] ?? {})
      .filter((name) => name !== '*' && !outputs.includes(name))
      .map((name) =>
        problem(
          `accuracy.${kind}.${name}`,
          `${preset.title} has no output "${name}"`,
          `Its outputs are: ${listed(outputs)}; "*" stands for all others.`,
        ),
      ),
  );
  const thresholds = Object.entries(spec.accuracy.thresholds);
  const { golden } = spec.accuracy;
  return allOf(...thresholds.map(([name, value]) => threshold(preset, golden, name, value)), tolerances);
}

function deadlines(spec: RunSpec): Found {
  return Object.keys(spec.deadlines)
    .filter((id) => !stepIds.some((step) => step === id))
    .map((id) => warning(`deadlines.${id}`, `Unknown step "${id}"`, `The steps are: ${listed(stepIds)}.`));
}

function inputFile({ performance }: RunSpec): Found {
  const { inputData, inputDataFile: file } = performance;
  if (inputData !== 'file' || (file !== undefined && isAbsolute(file))) return null;
  const field = 'performance.inputDataFile';
  if (file !== undefined) return notAbsolute(field, file);
  return problem(field, 'No file with input values is set', 'Use an absolute path, starting with "/".');
}

function goldenFile({ accuracy, model }: RunSpec): Found {
  const { golden } = accuracy;
  if (golden === undefined) return null;
  const field = 'accuracy.golden';
  if (!isAbsolute(golden)) return notAbsolute(field, golden);
  const remedy = 'Leave it out: this model is compared with its framework.';
  return (
    !isFileSource(model) && problem(field, 'A golden file is the reference of a model file only', remedy)
  );
}

/** Models whose code needs packages that no image has. */
const exportedHere: Partial<Record<string, string>> = {
  huggingface:
    'A Hugging Face folder can be exported only on this machine: the images do not have transformers',
  trees:
    'A model of rows can be exported only on this machine: the images do not have XGBoost, LightGBM and scikit-learn',
};

function exportPlace({ model, engine }: RunSpec): Found {
  const message = exportedHere[model.source?.kind ?? ''];
  if (message === undefined || isProcess(engine) || isElsewhere(engine)) return null;
  return unsupported(
    'engine.kind',
    message,
    'Choose the engine "local". Take the bundle of the finished run to containers and clusters.',
  );
}

function sampleShapes({ model }: RunSpec): Found {
  const { source, shapes = {} } = model;
  const inputs = source?.inputs ?? [];
  const found = Object.entries(shapes).map(([name, shape]): Found => {
    const field = `model.shapes.${name}`;
    const input = inputs.find((tensor) => tensor.name === name);
    if (input === undefined) {
      const known = source === undefined ? 'none' : inputs.map((tensor) => tensor.name).join(', ');
      return problem(field, `The model has no input "${name}"`, `Inputs that take a shape: ${known}.`);
    }
    const wrong = shapeFinding(name, shape, input.shape);
    if (wrong !== null) return wrong;
    if (source?.batched !== true || shape[0] === 1) return null;
    return problem(
      field,
      'The first axis is the batch and must be 1 for a sample',
      `For example [${[1, ...shape.slice(1)].join(', ')}].`,
    );
  });
  return allOf(...found);
}

export function ruleFindings(preset: Preset, spec: RunSpec): readonly RuleFinding[] {
  const { source, checkpoint, dataset } = spec.model;
  return allOf(
    offered(preset, spec),
    accelerationProblems(spec),
    engineProblems(spec),
    batching(spec),
    configNumbers(spec),
    ownFile('model.source.path', source?.path),
    ownFile('model.checkpoint', checkpoint),
    ownFile('model.dataset', dataset),
    sampleShapes(spec),
    accuracy(preset, spec),
    deadlines(spec),
    inputFile(spec),
    lengthFindings(spec),
    goldenFile(spec),
    load(spec),
    gpuFindings(preset, spec),
    repositoryFindings(spec),
    exportPlace(spec),
  );
}
