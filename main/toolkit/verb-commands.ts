import type { TlsFiles } from '../contract/address';
import type { Signature, TensorSignature } from '../contract/run/artefacts';
import { isFileSource, sampleTensors } from '../contract/run/own-model';
import { defaultWorkspaceBytes, type Framework, type RunSpec } from '../contract/run/run-spec';
import { visibleGpus } from '../contract/run/serving';
import { exportedFormat, formatOf, tensorPrecisionOf } from '../formats/formats';
import { configuredTraits } from '../triton/model-traits';
import type { ToolkitArgument, ToolkitCommand } from './toolkit';

/** A run's model: its folder and its specification. */
export interface ModelSource {
  readonly modelDir: string;
  readonly spec: RunSpec;
  readonly framework: Framework;
  /** Of an own model file, as it is served at fp32; the toolkit finds out any other. */
  readonly fileSignature?: Signature | undefined;
  /** File with the arguments that the user's checkpoint decides. */
  readonly argumentsFile?: string | undefined;
}

/** The data set and the weights that the run works with. */
interface PreparedPaths {
  readonly dataset: string;
  readonly checkpoint: string;
}

const sampleCount = 8;

/** What decides the samples of {@link profileDataCommand} beside its paths. */
export const profileDataInputs = (spec: RunSpec) => ({
  mode: spec.performance.inputData,
  sampleCount,
  // A loader may make the samples of a batch equally long.
  batchSize: datasetBatch(spec),
});

/** The largest batch that the model takes in a request. */
function datasetBatch({ configure }: RunSpec): number {
  return configuredTraits(configure).sequences ? 1 : Math.max(1, configure.maxBatchSize);
}

/** What the loader of an own model file makes samples by and checks given ones against. */
function sampleArguments({ spec, fileSignature }: ModelSource): ToolkitArgument[] {
  if (fileSignature === undefined) return [];
  const inputs = sampleTensors(spec.model).map((tensor, index) => ({
    ...tensor,
    dims: fileSignature.inputs[index]?.shape.slice(1) ?? tensor.shape,
  }));
  return [['--samples-only'], ['--arg', `inputs=${JSON.stringify(inputs)}`]];
}

/** Flags that name the model folder, its profile and its own arguments. */
function modelArguments(source: ModelSource): ToolkitArgument[] {
  const { modelDir, spec, framework } = source;
  return [
    ['--model-dir', modelDir],
    ...(framework === 'pyt' ? [] : [['--framework', framework] as const]),
    ['--profile', spec.model.profile],
    ...Object.entries(spec.model.args).map(([name, value]): ToolkitArgument => ['--arg', `${name}=${value}`]),
    ...(source.argumentsFile === undefined ? [] : [['--arguments-from', source.argumentsFile] as const]),
    ...sampleArguments(source),
  ];
}

/** Flags that give the model itself: weights for the folder's code, or a file with its signature. */
function weightArguments(
  source: ModelSource,
  checkpoint: string,
  flag: '--source' | '--path',
): ToolkitArgument[] {
  if (source.fileSignature === undefined) return [['--checkpoint', checkpoint]];
  return [
    [flag, checkpoint],
    ['--signature', JSON.stringify(source.fileSignature)],
  ];
}

/** Flags of a verb that goes through the data set, in whole batches. */
function datasetArguments({ spec }: ModelSource, dataset: string): ToolkitArgument[] {
  return [
    ['--dataset', dataset],
    ['--batch-size', datasetBatch(spec)],
  ];
}

export function makeDatasetCommand(source: ModelSource, output: string): ToolkitCommand {
  return { verb: 'make-dataset', args: [...modelArguments(source), ['--output', output]] };
}

/** A downloaded archive -> folder; more than `mostBytes` are refused. */
export function unpackCommand(
  kind: string,
  archive: string,
  mostBytes: number,
  output: string,
): ToolkitCommand {
  return {
    verb: 'unpack',
    args: [
      ['--kind', kind],
      ['--archive', archive],
      ['--most-bytes', mostBytes],
      ['--output', output],
    ],
  };
}

/** A published data set as it is unpacked -> the layout that the preset's loader reads. */
export function prepareDatasetCommand(
  modelDir: string,
  args: Readonly<Record<string, string>>,
  source: string,
  output: string,
): ToolkitCommand {
  return {
    verb: 'prepare-dataset',
    args: [
      ['--model-dir', modelDir],
      ...Object.entries(args).map(([name, value]): ToolkitArgument => ['--arg', `${name}=${value}`]),
      ['--source', source],
      ['--output', output],
    ],
  };
}

export function trainCommand(source: ModelSource, dataset: string, output: string): ToolkitCommand {
  return {
    verb: 'train',
    args: [...modelArguments(source), ['--dataset', dataset], ['--output', output]],
  };
}

/** The user's weights -> weights and arguments that the other verbs take. */
export function loadCheckpointCommand(
  source: ModelSource,
  checkpoint: string,
  output: string,
  argumentsFile: string,
): ToolkitCommand {
  return {
    verb: 'load-checkpoint',
    args: [
      ...modelArguments({ ...source, argumentsFile: undefined }),
      ['--checkpoint', checkpoint],
      ['--output', output],
      ['--arguments', argumentsFile],
    ],
  };
}

export function exportCommand(source: ModelSource, prepared: PreparedPaths, output: string): ToolkitCommand {
  const format = exportedFormat(source.spec.format);
  const options = formatOf(format).exportOptions?.(source.spec) ?? {};
  return {
    verb: 'export',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, prepared.dataset),
      ...weightArguments(source, prepared.checkpoint, '--source'),
      ['--format', format],
      ...Object.entries(options).map(([name, value]): ToolkitArgument => [`--${name}`, value]),
      ['--output', output],
    ],
  };
}

export function convertCommand(spec: RunSpec, input: string, output: string): ToolkitCommand {
  return {
    verb: 'convert',
    args: [
      ['--format', spec.format],
      ['--precision', spec.precision],
      ['--input', input],
      ['--output', output],
      ...(isFileSource(spec.model) ? [['--foreign'] as const] : []),
    ],
  };
}

/** ONNX of {@link exportCommand} -> TensorRT plan. `image`: where it is built, noted beside it. */
export function buildPlanCommand(
  source: ModelSource,
  dataset: string,
  input: string,
  output: string,
  image: string | null,
): ToolkitCommand {
  const { spec } = source;
  return {
    verb: 'build-plan',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, dataset),
      ['--precision', spec.precision],
      ['--input', input],
      ['--output', output],
      ['--max-batch-size', spec.configure.batching === 'disabled' ? 0 : spec.configure.maxBatchSize],
      ['--workspace-bytes', spec.tensorrt?.maxWorkspaceBytes ?? defaultWorkspaceBytes],
      ...(image === null ? [] : [['--image', image] as const]),
    ],
  };
}

/** What the model ran in before it was converted. */
function sourceRuntime({ framework, spec }: ModelSource): string {
  const { source } = spec.model;
  switch (source?.kind) {
    case undefined:
    case 'folder':
      return framework;
    case 'onnx':
      return 'onnx';
    case 'torchscript':
      return 'ts';
    case 'savedmodel':
      return 'savedmodel';
  }
}

/** Framework and Triton are given the same samples. */
const comparedSamples = ({ spec: { accuracy } }: ModelSource): ToolkitArgument[] =>
  accuracy.samples === undefined ? [] : [['--limit', accuracy.samples]];

/** The client's container has the GPUs of the run. */
const hasGpu = ({ engine }: RunSpec): boolean =>
  engine.kind === 'docker' && visibleGpus(engine)?.length !== 0;

export function inferFrameworkCommand(
  source: ModelSource,
  prepared: PreparedPaths,
  outputDir: string,
): ToolkitCommand {
  return {
    verb: 'infer-framework',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, prepared.dataset),
      ...weightArguments(source, prepared.checkpoint, '--path'),
      ['--runtime', sourceRuntime(source)],
      ...(hasGpu(source.spec) ? [['--device', 'auto'] as const] : []),
      ...comparedSamples(source),
      ['--output-dir', outputDir],
      ['--dump-labels'],
    ],
  };
}

const tlsArguments = ({ caFile, certFile, keyFile, serverName }: TlsFiles): ToolkitArgument[] => [
  ['--tls'],
  ...(caFile === undefined ? [] : [['--tls-ca', caFile] as const]),
  ...(certFile === undefined ? [] : [['--tls-cert', certFile] as const]),
  ...(keyFile === undefined ? [] : [['--tls-key', keyFile] as const]),
  ...(serverName === undefined ? [] : [['--tls-server-name', serverName] as const]),
];

export function inferTritonCommand(
  source: ModelSource,
  dataset: string,
  server: { readonly grpcAddress: string; readonly grpcTls?: TlsFiles | undefined },
  outputDir: string,
): ToolkitCommand {
  const { grpcTls: tls } = server;
  const { configure } = source.spec;
  return {
    verb: 'infer-triton',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, dataset),
      ['--precision', tensorPrecisionOf(source.spec)],
      ['--url', server.grpcAddress],
      ['--protocol', 'grpc'],
      ...(tls === undefined ? [] : tlsArguments(tls)),
      ['--model-name', configure.modelName],
      ['--model-version', configure.modelVersion],
      ...comparedSamples(source),
      ['--output-dir', outputDir],
      ['--dump-labels'],
    ],
  };
}

const tolerances = (flag: string, values: Readonly<Record<string, number>>): ToolkitArgument[] =>
  Object.entries(values).map(([name, value]) => [flag, `${name}=${value}`]);

export function verifyCommand(spec: RunSpec, reference: string, candidate: string): ToolkitCommand {
  return {
    verb: 'verify',
    args: [
      ['--reference', reference],
      ['--candidate', candidate],
      ...tolerances('--atol', spec.accuracy.atol),
      ...tolerances('--rtol', spec.accuracy.rtol),
      ...tolerances('--max-mismatch', spec.accuracy.maxMismatch ?? {}),
    ],
  };
}

/** Of the compared samples, the first few with the outputs of the framework. */
export function keepSamplesCommand(
  source: ModelSource,
  dataset: string,
  reference: string,
  outputDir: string,
): ToolkitCommand {
  const { accuracy } = source.spec;
  return {
    verb: 'keep-samples',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, dataset),
      ['--precision', tensorPrecisionOf(source.spec)],
      ['--reference', reference],
      ['--count', Math.min(sampleCount, accuracy.samples ?? sampleCount)],
      ['--output-dir', outputDir],
    ],
  };
}

export function metricsCommand(
  source: ModelSource,
  dataset: string,
  dumpDir: string,
  csv: string,
): ToolkitCommand {
  return {
    verb: 'metrics',
    args: [...modelArguments(source), ['--dataset', dataset], ['--dump-dir', dumpDir], ['--csv', csv]],
  };
}

export function profileDataCommand(
  source: ModelSource,
  dataset: string,
  inputs: readonly TensorSignature[],
  outputDir: string,
): ToolkitCommand {
  const { spec } = source;
  return {
    verb: 'profile-data',
    args: [
      ...modelArguments(source),
      ...datasetArguments(source, dataset),
      ['--precision', tensorPrecisionOf(spec)],
      ['--mode', spec.performance.inputData],
      ['--count', sampleCount],
      ['--signature', JSON.stringify(inputs)],
      ['--output-dir', outputDir],
    ],
  };
}
