import { isAbsolute, resolve } from 'node:path';
import type { Preset } from '../contract/run/preset';
import { stepIds } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { isLowerBetter } from '../contract/words';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { accelerationProblems, gpuFindings } from './acceleration-rules';
import { engineProblems } from './engine-rules';
import { loadProblems, shapeProblems } from './load-rules';
import { problem, type RuleFinding, warning } from './rule-finding';

const listed = (values: readonly string[]) => (values.length === 0 ? 'none' : values.join(', '));

/** Of a format that the document names and the preset has not; a sentence without its full stop. */
function reasonOf(preset: Preset, value: string): string {
  const found = preset.notOffered?.find(({ format }) => format === value);
  return found === undefined ? '' : `. ${found.reason.replace(/\.$/, '')}`;
}

function offered(preset: Preset, spec: RunSpec): RuleFinding[] {
  const choices = [
    ['format', spec.format, preset.formats],
    ['precision', spec.precision, preset.precisions],
  ] as const;
  return choices.flatMap(([field, value, values]) =>
    (values as readonly string[]).includes(value)
      ? []
      : [
          problem(
            field,
            `${preset.title} does not support ${value}${reasonOf(preset, value)}`,
            `Choose ${listed(values)}.`,
            'combination-unsupported',
          ),
        ],
  );
}

function batching(spec: RunSpec): RuleFinding[] {
  const { configure, performance } = spec;
  const found: RuleFinding[] = [];
  if (configure.batching === 'dynamic' && configure.maxBatchSize === 0) {
    found.push(
      problem(
        'configure.maxBatchSize',
        'Dynamic batching requires a maximum batch size of at least 1',
        'Raise it, or set batching to "disabled".',
      ),
    );
  }
  const over = configure.preferredBatchSizes.filter((size) => size > configure.maxBatchSize);
  if (configure.batching === 'dynamic' && configure.maxBatchSize > 0 && over.length > 0) {
    found.push(
      problem(
        'configure.preferredBatchSizes',
        `${over.join(', ')} exceeds the maximum batch size ${configure.maxBatchSize}`,
        `Raise the maximum batch size, or remove preferred sizes above ${configure.maxBatchSize}.`,
      ),
    );
  }
  const served = servedMaxBatchSize(configure);
  const limit = Math.max(1, served);
  const why =
    served === 0 ? 'The model is served without batching, one item per request' : `The maximum is ${limit}`;
  const tooLarge = performance.batchSizes.filter((size) => size > limit);
  if (tooLarge.length > 0) {
    found.push(
      problem(
        'performance.batchSizes',
        `${tooLarge.join(', ')} exceeds the maximum batch size ${limit}`,
        `${why}: measure batch sizes up to ${limit}, or raise it.`,
      ),
    );
  }
  if (performance.onlineBatchSize > limit) {
    found.push(
      problem(
        'performance.onlineBatchSize',
        `${performance.onlineBatchSize} exceeds the maximum batch size ${limit}`,
        `${why}: send batches of up to ${limit}, or raise it.`,
      ),
    );
  }
  return found;
}

/** The steps run in folders of their own, and containers mount by full path. */
function ownFiles({ model }: RunSpec): RuleFinding[] {
  const places = [
    ['model.source.path', model.source?.path],
    ['model.checkpoint', model.checkpoint],
    ['model.dataset', model.dataset],
  ] as const;
  return places.flatMap(([field, path]) => {
    if (path === undefined) return [];
    if (!isAbsolute(path))
      return [
        problem(field, `"${path}" is not an absolute path`, 'Use an absolute path, starting with "/".'),
      ];
    const hasName = !path.includes('\0') && resolve(path) !== '/';
    return hasName
      ? []
      : [problem(field, 'The path does not name a file or folder', 'Use a file or folder below "/".')];
  });
}

function accuracy(preset: Preset, spec: RunSpec): RuleFinding[] {
  const metrics = preset.metrics.map((metric) => metric.name);
  const outputs = preset.signature.outputs.map((tensor) => tensor.name);
  const thresholds = Object.entries(spec.accuracy.thresholds).flatMap(([name, value]) => {
    const field = `accuracy.thresholds.${name}`;
    const metric = preset.metrics.find((known) => known.name === name);
    if (metric === undefined) {
      return [
        problem(field, `${preset.title} has no metric "${name}"`, `Its metrics are: ${listed(metrics)}.`),
      ];
    }
    if (isLowerBetter(metric)) {
      // Such metrics are errors and risks: 0 at best, and without an upper end.
      return value >= 0 ? [] : [warning(field, 'No value reaches a threshold below 0', 'Use 0 or more.')];
    }
    if (value >= 0 && value <= 1) return [];
    const what =
      value > 1 ? 'No value reaches a threshold above 1' : 'Every value passes a threshold below 0';
    return [warning(field, what, 'Use a fraction, for example 0.9 for 90 %.')];
  });
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
  return [...thresholds, ...tolerances];
}

function measuring(spec: RunSpec): RuleFinding[] {
  const { inputData, inputDataFile } = spec.performance;
  const deadlines = Object.keys(spec.deadlines)
    .filter((id) => !stepIds.some((step) => step === id))
    .map((id) => warning(`deadlines.${id}`, `Unknown step "${id}"`, `The steps are: ${listed(stepIds)}.`));
  if (inputData !== 'file') return deadlines;
  if (inputDataFile !== undefined && isAbsolute(inputDataFile)) return deadlines;
  const what =
    inputDataFile === undefined
      ? 'No file with input values is set'
      : `"${inputDataFile}" is not an absolute path`;
  return [
    ...deadlines,
    problem('performance.inputDataFile', what, 'Use an absolute path, starting with "/".'),
  ];
}

/** What the schema of single fields cannot say, all of it at once; pure. */
export function ruleFindings(preset: Preset, spec: RunSpec): readonly RuleFinding[] {
  return [
    ...offered(preset, spec),
    ...accelerationProblems(spec),
    ...engineProblems(spec),
    ...batching(spec),
    ...ownFiles(spec),
    ...shapeProblems(spec),
    ...accuracy(preset, spec),
    ...measuring(spec),
    ...loadProblems(spec),
    ...gpuFindings(preset, spec),
  ];
}
