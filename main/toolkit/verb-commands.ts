import type { TlsFiles } from '../contract/address';
import type { Signature, TensorSignature } from '../contract/run/artefacts';
import { inContainers, visibleGpus } from '../contract/run/engine-kinds';
import { hasReadTensors, isFileSource, sampleTensors } from '../contract/run/own-model';
import { defaultWorkspaceBytes, type Framework, type RunSpec } from '../contract/run/run-spec';
import { present } from '../contract/trees';
import { exportedFormat, formatOf, tensorPrecisionOf } from '../formats/formats';
import { configuredTraits } from '../triton/model-traits';
import { comparedBatches } from './compared-batches';
import { sampleLengths } from './sample-lengths';
import type { ToolkitArgument, ToolkitCommand } from './toolkit';

export interface ModelSource {
  readonly modelDir: string;
  readonly spec: RunSpec;
  readonly framework: Framework;
  /** Of an own model file at fp32; the toolkit finds out others. */
  readonly fileSignature?: Signature | undefined;
  /** File with the arguments that a user's checkpoint decides. */
  readonly argumentsFile?: string | undefined;
}

interface PreparedPaths {
  readonly dataset: string;
  readonly checkpoint: string;
}

/** Flags and values: true for a flag without one; absent ones are omitted. */
type Flags = Readonly<Record<string, string | number | true | null | undefined>>;

const flagArguments = (flags: Flags): ToolkitArgument[] =>
  Object.entries(flags).flatMap(([name, value]): ToolkitArgument[] => {
    if (value === undefined || value === null) return [];
    return [value === true ? [`--${name}`] : [`--${name}`, value]];
  });

/** Repeats a flag per entry, as name=value. */
const repeated = (flag: string, entries: Readonly<Record<string, string | number>>): ToolkitArgument[] =>
  Object.entries(entries).map(([name, value]) => [`--${flag}`, `${name}=${value}`]);

const command = (
  verb: string,
  ...parts: readonly (readonly ToolkitArgument[] | Flags)[]
): ToolkitCommand => ({
  verb,
  args: parts.flatMap((part) => (part instanceof Array ? part : flagArguments(part))),
});

const sampleCount = 8;

/** Inputs of {@link profileDataCommand} beside its paths. */
export const profileDataInputs = (spec: RunSpec) => ({
  mode: spec.performance.inputData,
  sampleCount,
  // A loader may pad the samples of a batch to equal length.
  batchSize: datasetBatch(spec),
  // Only if set, so that earlier runs keep their keys.
  ...present({ sampleLengths: sampleLengths(spec) }),
});

function datasetBatch({ configure }: RunSpec): number {
  return configuredTraits(configure).sequences ? 1 : Math.max(1, configure.maxBatchSize);
}

/** Read from a file or folder, and exported by code of `resources`. */
const isExportedByCode = ({ model }: Pick<RunSpec, 'model'>): boolean =>
  hasReadTensors(model) && !isFileSource(model);

const names = (tensors: readonly { readonly name: string }[]): string =>
  tensors.map(({ name }) => name).join(',');

/** For the code that loads a Hugging Face folder: what of it, and how to make samples. */
function huggingFaceArguments({ model }: RunSpec): ToolkitArgument[] {
  const { source } = model;
  if (source?.huggingFace === undefined) return [];
  const { task, autoClass, longest, paddingId, pooling, dense, normalize } = source.huggingFace;
  const given = present({ longest, padding_id: paddingId, pooling, dense: dense?.join(','), normalize });
  return [
    ...repeated('arg', {
      ...{ folder: source.path, task, auto_class: autoClass },
      ...{ inputs: JSON.stringify(sampleTensors(model)), outputs: names(source.outputs) },
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    }),
  ];
}

/** For the code that loads a file of trees: what of it, and how to read samples. */
function treesArguments({ model }: RunSpec): ToolkitArgument[] {
  const { source } = model;
  if (source?.trees === undefined) return [];
  const { library, rounds, columns } = source.trees;
  const given = present({ rounds, columns: columns === undefined ? null : JSON.stringify(columns) });
  const tensors = { inputs: JSON.stringify(sampleTensors(model)), outputs: names(source.outputs) };
  return repeated('arg', { file: source.path, library, ...tensors, ...given });
}

/** For the loader of an own model file: how to make samples, and how to check given ones. */
function sampleArguments({ spec, fileSignature }: ModelSource): ToolkitArgument[] {
  if (fileSignature === undefined) return [];
  const inputs = sampleTensors(spec.model).map((tensor, index) => ({
    ...tensor,
    dims: fileSignature.inputs[index]?.shape.slice(1) ?? tensor.shape,
  }));
  return flagArguments({ 'samples-only': true, arg: `inputs=${JSON.stringify(inputs)}` });
}

function modelArguments(source: ModelSource): ToolkitArgument[] {
  const { modelDir, spec, argumentsFile } = source;
  const framework = source.framework === 'pyt' ? undefined : source.framework;
  return [
    ...flagArguments({ 'model-dir': modelDir, framework, profile: spec.model.profile }),
    ...flagArguments({ 'dataset-may-be-file': isExportedByCode(spec) ? true : undefined }),
    ...repeated('arg', spec.model.args),
    ...flagArguments({ 'arguments-from': argumentsFile }),
    ...sampleArguments(source),
    ...huggingFaceArguments(spec),
    ...treesArguments(spec),
  ];
}

/** The model: weights for the folder's code, or a file with its signature. */
function weights({ fileSignature, spec }: ModelSource, checkpoint: string, flag: 'source' | 'path'): Flags {
  // An argument of its code.
  if (isExportedByCode(spec)) return {};
  return fileSignature === undefined
    ? { checkpoint }
    : { [flag]: checkpoint, signature: JSON.stringify(fileSignature) };
}

/** Verbs that process the data set in whole batches. */
const batches = ({ spec }: ModelSource, dataset: string): Flags => ({
  dataset,
  'batch-size': datasetBatch(spec),
});

export const makeDatasetCommand = (source: ModelSource, output: string): ToolkitCommand =>
  command('make-dataset', modelArguments(source), { output });

/** Archive -> folder; refuses more than `mostBytes`. */
export const unpackCommand = (
  kind: string,
  archive: string,
  mostBytes: number,
  output: string,
): ToolkitCommand => command('unpack', { kind, archive, 'most-bytes': mostBytes, output });

/** Unpacked data set -> layout of the preset's loader. */
export const prepareDatasetCommand = (
  modelDir: string,
  args: Readonly<Record<string, string>>,
  source: string,
  output: string,
): ToolkitCommand =>
  command('prepare-dataset', { 'model-dir': modelDir }, repeated('arg', args), { source, output });

export const trainCommand = (source: ModelSource, dataset: string, output: string): ToolkitCommand =>
  command('train', modelArguments(source), { dataset, output });

/** User's weights -> weights and arguments for the other verbs. */
export function loadCheckpointCommand(
  source: ModelSource,
  checkpoint: string,
  output: string,
  argumentsFile: string,
): ToolkitCommand {
  const model = modelArguments({ ...source, argumentsFile: undefined });
  return command('load-checkpoint', model, { checkpoint, output, arguments: argumentsFile });
}

/** Axes that vary whatever the lengths of the samples. */
function declared({ spec: { model } }: ModelSource): Flags {
  const { source } = model;
  if (source === undefined || !isExportedByCode({ model })) return {};
  const tensors = ({ name, datatype, shape }: Signature['inputs'][number]) => ({ name, datatype, shape });
  const signature = { inputs: source.inputs.map(tensors), outputs: source.outputs.map(tensors) };
  return { declared: JSON.stringify(signature) };
}

export function exportCommand(source: ModelSource, prepared: PreparedPaths, output: string): ToolkitCommand {
  const format = exportedFormat(source.spec.format);
  return command(
    'export',
    modelArguments(source),
    batches(source, prepared.dataset),
    weights(source, prepared.checkpoint, 'source'),
    declared(source),
    { format, ...formatOf(format).exportOptions?.(source.spec), output },
  );
}

export function convertCommand(spec: RunSpec, input: string, output: string): ToolkitCommand {
  const { format, precision } = spec;
  return command('convert', {
    format,
    precision,
    input,
    output,
    foreign: isFileSource(spec.model) ? true : undefined,
  });
}

/** ONNX of {@link exportCommand} -> TensorRT plan. `image`: recorded as the place of the build. */
export function buildPlanCommand(
  source: ModelSource,
  dataset: string,
  input: string,
  output: string,
  image: string | null,
): ToolkitCommand {
  const { spec } = source;
  return command('build-plan', modelArguments(source), batches(source, dataset), {
    precision: spec.precision,
    input,
    output,
    'max-batch-size': spec.configure.batching === 'disabled' ? 0 : spec.configure.maxBatchSize,
    'workspace-bytes': spec.tensorrt?.maxWorkspaceBytes ?? defaultWorkspaceBytes,
    image,
  });
}

/** Verbs that compare or keep requests of chosen batch sizes. */
function comparedArguments(spec: RunSpec, withSamples = true): ToolkitArgument[] {
  const { sizes, gathered, samples } = comparedBatches(spec);
  return [
    ...sizes.map((size): ToolkitArgument => ['--at-batch-size', size]),
    ...flagArguments({
      gathered: gathered === 0 ? undefined : gathered,
      'compared-samples': withSamples ? samples : undefined,
    }),
  ];
}

function sourceRuntime({ framework, spec }: ModelSource): string {
  const { source } = spec.model;
  switch (source?.kind) {
    case undefined:
    case 'folder':
    case 'huggingface':
    case 'trees':
    case 'repository':
      return framework;
    case 'onnx':
      return 'onnx';
    case 'torchscript':
      return 'ts';
    case 'savedmodel':
      return 'savedmodel';
  }
}

/** The client's container has the run's GPUs. */
const hasGpu = ({ engine }: RunSpec): boolean => inContainers(engine) && visibleGpus(engine)?.length !== 0;

function frameworkCommand(
  source: ModelSource,
  prepared: PreparedPaths,
  flags: Flags,
  more: readonly ToolkitArgument[] = [],
): ToolkitCommand {
  const { spec } = source;
  return command(
    'infer-framework',
    modelArguments(source),
    batches(source, prepared.dataset),
    weights(source, prepared.checkpoint, 'path'),
    { runtime: sourceRuntime(source), device: hasGpu(spec) ? 'auto' : undefined, ...flags },
    more,
  );
}

export const inferFrameworkCommand = (
  source: ModelSource,
  prepared: PreparedPaths,
  outputDir: string,
): ToolkitCommand =>
  frameworkCommand(
    source,
    prepared,
    // Framework and Triton get the same samples.
    { limit: source.spec.accuracy.samples, 'output-dir': outputDir, 'dump-labels': true },
    comparedArguments(source.spec),
  );

/** A few samples twice through the framework, to see whether the model agrees with itself. */
export const inferTwiceCommand = (
  source: ModelSource,
  prepared: PreparedPaths,
  outputDir: string,
): ToolkitCommand =>
  frameworkCommand(source, prepared, {
    limit: Math.min(sampleCount, source.spec.accuracy.samples ?? sampleCount),
    'output-dir': outputDir,
    again: true,
  });

const tlsFlags = ({ caFile, certFile, keyFile, serverName }: TlsFiles): Flags => ({
  tls: true,
  'tls-ca': caFile,
  'tls-cert': certFile,
  'tls-key': keyFile,
  'tls-server-name': serverName,
});

export function inferTritonCommand(
  source: ModelSource,
  dataset: string,
  server: { readonly grpcAddress: string; readonly grpcTls?: TlsFiles | undefined },
  outputDir: string,
): ToolkitCommand {
  const { grpcAddress: url, grpcTls } = server;
  const { configure, accuracy } = source.spec;
  const flags: Flags = {
    precision: tensorPrecisionOf(source.spec),
    url,
    protocol: 'grpc',
    ...(grpcTls === undefined ? {} : tlsFlags(grpcTls)),
    'model-name': configure.modelName,
    'model-version': configure.modelVersion,
    limit: accuracy.samples,
    'output-dir': outputDir,
    'dump-labels': true,
  };
  const compared = comparedArguments(source.spec);
  return command('infer-triton', modelArguments(source), batches(source, dataset), flags, compared);
}

const tolerances = ({ accuracy: { atol, rtol, maxMismatch = {} } }: RunSpec): ToolkitArgument[] => [
  ...repeated('atol', atol),
  ...repeated('rtol', rtol),
  ...repeated('max-mismatch', maxMismatch),
];

export const verifyCommand = (spec: RunSpec, reference: string, candidate: string): ToolkitCommand =>
  command('verify', { reference, candidate }, tolerances(spec), comparedArguments(spec, false));

/** Compares the dumps of {@link inferTwiceCommand}. */
export const verifyTwiceCommand = (spec: RunSpec, dump: string): ToolkitCommand =>
  command('verify', { reference: dump, candidate: `${dump}/again` }, tolerances(spec));

/** The first compared samples with the framework's outputs, and a batch of the largest size. */
export function keepSamplesCommand(
  source: ModelSource,
  dataset: string,
  reference: string,
  outputDir: string,
): ToolkitCommand {
  const { accuracy } = source.spec;
  const flags: Flags = {
    precision: tensorPrecisionOf(source.spec),
    reference,
    count: Math.min(sampleCount, accuracy.samples ?? sampleCount),
    'output-dir': outputDir,
  };
  const compared = comparedArguments(source.spec);
  return command('keep-samples', modelArguments(source), batches(source, dataset), flags, compared);
}

export const metricsCommand = (
  source: ModelSource,
  dataset: string,
  dumpDir: string,
  csv: string,
): ToolkitCommand => command('metrics', modelArguments(source), { dataset, 'dump-dir': dumpDir, csv });

export function profileDataCommand(
  source: ModelSource,
  dataset: string,
  inputs: readonly TensorSignature[],
  outputDir: string,
): ToolkitCommand {
  const { spec } = source;
  const { count = sampleCount, lengths, padding = {} } = sampleLengths(spec) ?? {};
  return command(
    'profile-data',
    modelArguments(source),
    batches(source, dataset),
    { precision: tensorPrecisionOf(spec), mode: spec.performance.inputData, count, lengths },
    repeated('padding', padding),
    { signature: JSON.stringify(inputs), 'output-dir': outputDir },
  );
}
