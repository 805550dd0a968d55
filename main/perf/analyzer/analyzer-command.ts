import type { MeasureInput } from '../load-tool';
import { analyzerTls, tlsArguments } from './analyzer-input';

interface AnalyzerRun {
  readonly binary: string;
  /** Folder with one raw file per input, named like the input, or a JSON file. */
  readonly inputDir: string;
  readonly csvPath: string;
  /** File with the intervals of a custom schedule, one per line. */
  readonly intervalsPath: string;
  readonly stabilityPercentage: number;
  readonly maxTrials: number;
}

type AnalyzerInput = Pick<
  MeasureInput,
  | 'httpAddress'
  | 'grpcAddress'
  | 'httpTls'
  | 'grpcTls'
  | 'protocol'
  | 'modelName'
  | 'modelVersion'
  | 'level'
  | 'analyzerArguments'
  | 'profileFile'
> & {
  readonly settings: Omit<MeasureInput['settings'], 'stabilityPercentage' | 'maxTrials' | 'warmupMs'>;
  /** Input names and shapes of one sample, without the batch dimension. */
  readonly inputData: {
    readonly tensors: readonly {
      readonly name: string;
      readonly shape: readonly number[];
      readonly shapes?: unknown;
    }[];
    readonly streams?: readonly number[] | undefined;
  };
};

function loadArguments({ level, settings }: AnalyzerInput, intervalsPath: string): string[] {
  if (level.requestRate === undefined) {
    return ['--concurrency-range', `${level.concurrency}:${level.concurrency}`];
  }
  const threads = ['--max-threads', String(level.concurrency)];
  if ((settings.requestIntervalsUs ?? []).length > 0)
    return ['--request-intervals', intervalsPath, ...threads];
  return [
    ...['--request-rate-range', `${level.requestRate}:${level.requestRate}`],
    ...['--request-distribution', settings.requestDistribution ?? 'constant', ...threads],
  ];
}

function sharedMemoryArguments({ settings }: AnalyzerInput): string[] {
  const { sharedMemory = 'none', outputSharedMemoryBytes } = settings;
  if (sharedMemory === 'none') return [];
  return [
    ...['--shared-memory', sharedMemory],
    ...(outputSharedMemoryBytes === undefined
      ? []
      : ['--output-shared-memory-size', String(outputSharedMemoryBytes)]),
  ];
}

/** One request per sequence at a time, as the built-in load generator, and streaming. */
function kindArguments({ level, settings, inputData }: AnalyzerInput): string[] {
  const { sequences, streaming = false, blsModels = [] } = settings;
  const stream = [
    ...(blsModels.length === 0 ? [] : ['--bls-composing-models', blsModels.join(',')]),
    ...(streaming ? ['--streaming'] : []),
  ];
  if (sequences === undefined) return stream;
  const { length, lengthVariation, firstId, endId } = sequences;
  return [
    ...stream,
    // Without a length each sequence is as long as its stream.
    ...(inputData.streams === undefined
      ? ['--sequence-length', String(length), '--sequence-length-variation', String(lengthVariation)]
      : []),
    ...['--sequence-id-range', endId === undefined ? String(firstId) : `${firstId}:${endId}`],
    ...(level.requestRate === undefined
      ? []
      : ['--num-of-sequences', String(level.concurrency), '--serial-sequences']),
  ];
}

const counted = (flag: string, count = 0): string[] => (count > 0 ? [flag, String(count)] : []);

function addressOf(input: AnalyzerInput): string {
  if (input.protocol === 'grpc') return input.grpcAddress;
  return `${analyzerTls(input) === null ? '' : 'https://'}${input.httpAddress}`;
}

/** Arguments that measure one level. Throws combination-unsupported if perf_analyzer has no flag for it. */
export function analyzerCommand(input: AnalyzerInput, run: AnalyzerRun): [string, ...string[]] {
  const { settings, level } = input;
  return [
    run.binary,
    ...['-m', input.modelName],
    ...(input.modelVersion === '' ? [] : ['-x', input.modelVersion]),
    ...['-u', addressOf(input), '-i', input.protocol, '-b', String(level.batchSize)],
    ...loadArguments(input, run.intervalsPath),
    ...sharedMemoryArguments(input),
    ...kindArguments(input),
    ...tlsArguments(input),
    ...['--measurement-mode', settings.measurementMode],
    ...['--measurement-interval', String(settings.measurementIntervalMs)],
    ...['--measurement-request-count', String(settings.measurementRequestCount)],
    ...counted('--request-count', settings.requestCount),
    ...counted('--warmup-request-count', settings.warmupRequestCount),
    ...counted('--percentile', settings.percentile),
    ...['--stability-percentage', String(run.stabilityPercentage)],
    ...['--max-trials', String(run.maxTrials)],
    ...['--input-data', run.inputDir],
    ...input.inputData.tensors.flatMap((tensor) =>
      tensor.shape.length === 0 || tensor.shapes !== undefined
        ? []
        : ['--shape', `${tensor.name}:${tensor.shape.join(',')}`],
    ),
    ...['-f', run.csvPath, '--verbose-csv', '-v'],
    ...(input.profileFile === undefined ? [] : ['--profile-export-file', input.profileFile]),
    ...(input.analyzerArguments ?? []),
  ];
}
