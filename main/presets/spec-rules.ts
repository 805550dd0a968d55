import { isAbsolute, resolve } from 'node:path';
import type { Preset } from '../contract/run/preset';
import { stepIds } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { isLowerBetter } from '../contract/words';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { accelerationProblems, gpuFindings } from './acceleration-rules';
import { engineProblems } from './engine-rules';
import { loadProblems, shapeProblems } from './load-rules';
import {
  allOf,
  type Found,
  notAbsolute,
  problem,
  type RuleFinding,
  unsupported,
  warning,
} from './rule-finding';

const listed = (values: readonly string[]) => (values.length === 0 ? 'none' : values.join(', '));

/** Of a format that the document names and the preset has not; a sentence without its full stop. */
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

function batching({ configure, performance }: RunSpec): Found {
  const { maxBatchSize } = configure;
  const isDynamic = configure.batching === 'dynamic';
  const over = configure.preferredBatchSizes.filter((size) => size > maxBatchSize);
  const served = servedMaxBatchSize(configure);
  const limit = Math.max(1, served);
  const why =
    served === 0 ? 'The model is served without batching, one item per request' : `The maximum is ${limit}`;
  const tooLarge = performance.batchSizes.filter((size) => size > limit);
  return allOf(
    isDynamic &&
      maxBatchSize === 0 &&
      problem(
        'configure.maxBatchSize',
        'Dynamic batching requires a maximum batch size of at least 1',
        'Raise it, or set batching to "disabled".',
      ),
    isDynamic &&
      maxBatchSize > 0 &&
      over.length > 0 &&
      problem(
        'configure.preferredBatchSizes',
        `${over.join(', ')} exceeds the maximum batch size ${maxBatchSize}`,
        `Raise the maximum batch size, or remove preferred sizes above ${maxBatchSize}.`,
      ),
    tooLarge.length > 0 &&
      problem(
        'performance.batchSizes',
        `${tooLarge.join(', ')} exceeds the maximum batch size ${limit}`,
        `${why}: measure batch sizes up to ${limit}, or raise it.`,
      ),
    performance.onlineBatchSize > limit &&
      problem(
        'performance.onlineBatchSize',
        `${performance.onlineBatchSize} exceeds the maximum batch size ${limit}`,
        `${why}: send batches of up to ${limit}, or raise it.`,
      ),
  );
}

const mostInt32 = 2 ** 31 - 1;

/** What config.pbtxt holds as an int32; Triton refuses the whole file for a larger one. */
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

/** The steps run in folders of their own, and containers mount by full path. */
function ownFile(field: string, path: string | undefined): Found {
  if (path === undefined) return null;
  if (!isAbsolute(path)) return notAbsolute(field, path);
  const hasName = !path.includes('\0') && resolve(path) !== '/';
  const remedy = 'Use a file or folder below "/".';
  return !hasName && problem(field, 'The path does not name a file or folder', remedy);
}

function threshold(preset: Preset, name: string, value: number): Found {
  const field = `accuracy.thresholds.${name}`;
  const metric = preset.metrics.find((known) => known.name === name);
  if (metric === undefined) {
    const known = listed(preset.metrics.map((one) => one.name));
    return problem(field, `${preset.title} has no metric "${name}"`, `Its metrics are: ${known}.`);
  }
  if (isLowerBetter(metric)) {
    // Such metrics are errors and risks: 0 at best, and without an upper end.
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
  return allOf(...thresholds.map(([name, value]) => threshold(preset, name, value)), tolerances);
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

/** What the schema of single fields cannot say, all of it at once; pure. */
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
    shapeProblems(spec),
    accuracy(preset, spec),
    deadlines(spec),
    inputFile(spec),
    loadProblems(spec),
    gpuFindings(preset, spec),
  );
}
