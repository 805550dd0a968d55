import type { MeasureInput } from '../load-tool';

export interface AnalyzerRun {
  readonly binary: string;
  /** Holds one raw file an input, named as the input. */
  readonly inputDir: string;
  readonly csvPath: string;
  readonly stabilityPercentage: number;
  readonly maxTrials: number;
}

/** The part of a measurement that the command line says. */
export type AnalyzerInput = Pick<
  MeasureInput,
  'httpAddress' | 'grpcAddress' | 'protocol' | 'modelName' | 'modelVersion' | 'level'
> & {
  readonly settings: Omit<MeasureInput['settings'], 'stabilityPercentage' | 'maxTrials' | 'warmupMs'>;
  /** Names of the inputs and shapes of one sample, without the batch dimension. */
  readonly inputData: {
    readonly tensors: readonly { readonly name: string; readonly shape: readonly number[] }[];
  };
};

/** The argument list that measures one level. */
export function analyzerCommand(input: AnalyzerInput, run: AnalyzerRun): [string, ...string[]] {
  const { settings, level } = input;
  return [
    run.binary,
    '-m',
    input.modelName,
    ...(input.modelVersion === '' ? [] : ['-x', input.modelVersion]),
    '-u',
    input.protocol === 'grpc' ? input.grpcAddress : input.httpAddress,
    '-i',
    input.protocol,
    '-b',
    String(level.batchSize),
    '--concurrency-range',
    `${level.concurrency}:${level.concurrency}`,
    '--measurement-mode',
    settings.measurementMode,
    '--measurement-interval',
    String(settings.measurementIntervalMs),
    '--measurement-request-count',
    String(settings.measurementRequestCount),
    '--stability-percentage',
    String(run.stabilityPercentage),
    '--max-trials',
    String(run.maxTrials),
    '--input-data',
    run.inputDir,
    ...input.inputData.tensors.flatMap((tensor) =>
      tensor.shape.length === 0 ? [] : ['--shape', `${tensor.name}:${tensor.shape.join(',')}`],
    ),
    '-f',
    run.csvPath,
    '--verbose-csv',
    '-v',
  ];
}
