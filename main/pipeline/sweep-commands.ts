import { isLoopback } from '../contract/loopback';
import type { MeasuringTurn } from '../contract/measuring-order';
import { plannedTurns } from '../contract/measuring-order';
import type { RemoteLimits } from '../contract/remote-limits';
import type { Scenario } from '../contract/run-events';
import type { RunSpec } from '../contract/run-spec';
import type { LoadLevel } from '../contract/scenario-levels';
import { scenarioLevels } from '../contract/scenario-levels';
import type { TlsFiles } from '../contract/tls';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { analyzerCommand } from '../perf/analyzer/analyzer-command';
import { analyzerFiles } from '../perf/analyzer/analyzer-files';
import { levelFolder } from '../store/run-files';
import { demandedLoad } from '../triton/configured-traits';
import type { CommandInputs, PlannedRun, StepCommand } from './step';

/** Samples are kept without the first axis; where the model is served without batching, it is one like any other. */
export const servedShape = (shape: readonly number[], batched: boolean): number[] =>
  batched ? [...shape] : [1, ...shape];

/** What a load tool is asked for at a turn, beside the values of the input. */
export function turnInput(
  { spec, folder, forClients }: Omit<CommandInputs, 'preset' | 'signature'>,
  scenario: Scenario,
  { level, repeat, loadTool }: MeasuringTurn,
) {
  const { configure, performance } = spec;
  const name = `${repeat === 1 ? '' : `-repeat${repeat}`}${performance.crossCheck ? `-${loadTool}` : ''}`;
  return {
    ...forClients,
    protocol: performance.protocol,
    modelName: configure.modelName,
    modelVersion: String(configure.modelVersion),
    level,
    batched: servedMaxBatchSize(configure) > 0,
    settings: demandedLoad(performance, configure),
    workDir: levelFolder(folder, scenario, level, name),
  };
}

/** What a run's levels have beyond batch size and concurrency; intervals of its own the verb reads from a file. */
function loadWords(performance: RunSpec['performance'], levels: readonly LoadLevel[]): string[] {
  const rates = levels.flatMap(({ requestRate }) => requestRate ?? []);
  const { search, latencyThresholdMs, sharedMemory, requestIntervalsUs } = performance;
  const online = rates.length > 0 || levels.some(({ concurrency }) => concurrency > 1);
  return [
    ...(rates.length === 0
      ? []
      : requestIntervalsUs.length > 0
        ? ['--request-intervals', '<file>']
        : [
            ...['--request-rate', rates.join(',')],
            ...['--request-distribution', performance.requestDistribution],
            ...(performance.requestDistribution === 'poisson'
              ? ['--request-seed', String(performance.requestSeed)]
              : []),
          ]),
    ...(search === 'none' || !online
      ? []
      : ['--search', search, '--latency-threshold', String(latencyThresholdMs)]),
    ...(sharedMemory === 'none'
      ? []
      : [
          ...['--shared-memory', sharedMemory],
          ...['--output-shared-memory-size', String(performance.outputSharedMemoryBytes)],
        ]),
    ...kindWords(performance),
  ];
}

/** Sequences and the stream, in the words of the verb. */
function kindWords({ sequences, streaming = false }: RunSpec['performance']): string[] {
  const stream = streaming ? ['--streaming'] : [];
  if (sequences === undefined) return stream;
  const { length, lengthVariation, concurrent, firstId, endId } = sequences;
  return [
    ...stream,
    ...['--sequence-length', String(length), '--sequence-length-variation', String(lengthVariation)],
    ...['--num-of-sequences', String(concurrent)],
    ...['--sequence-id-range', endId === undefined ? String(firstId) : `${firstId}:${endId}`],
  ];
}

/** The verb has no data set: random values stand for it. */
const inputWords = ({ inputData, inputDataFile }: RunSpec['performance']): string =>
  inputData === 'file' && inputDataFile !== undefined
    ? inputDataFile
    : inputData === 'zero'
      ? 'zero'
      : 'random';

/** The CLI's verb that does the same as the native tool, or both tools of a cross-check, within the run. */
function nativeCommand({ spec, forClients }: PlannedRun, levels: readonly LoadLevel[]): string[] {
  const { configure, engine } = spec;
  const { httpAddress, grpcAddress, httpTls } = forClients;
  const limits = engine.kind === 'remote' ? engine.limits : undefined;
  const performance = demandedLoad(spec.performance, configure);
  const { measurementMode, measurementRequestCount } = performance;
  const distinct = (values: readonly number[]) => [...new Set(values)].join(',');
  return [
    ...['npm', 'run', 'cli', '--', 'perf'],
    ...['--url', `${httpTls === undefined ? 'http' : 'https'}://${httpAddress}`],
    ...['--grpc-url', grpcAddress, '--model', configure.modelName],
    ...['--model-version', String(configure.modelVersion)],
    ...['--batch-sizes', distinct(levels.map((level) => level.batchSize))],
    ...['--concurrency', distinct(levels.map((level) => level.concurrency))],
    ...loadWords(performance, levels),
    ...['--load-tool', performance.loadTool, '--protocol', performance.protocol],
    ...['--input-data', inputWords(performance)],
    ...['--check-outputs', performance.checkOutputs],
    ...(measurementMode === 'count_windows'
      ? [
          '--measurement-mode',
          measurementMode,
          '--measurement-request-count',
          String(measurementRequestCount),
        ]
      : ['--measurement-interval-ms', String(performance.measurementIntervalMs)]),
    ...['--stability-percentage', String(performance.stabilityPercentage)],
    ...['--max-trials', String(performance.maxTrials), '--warmup-ms', String(performance.warmupMs)],
    ...(performance.repeats > 1 || performance.crossCheck ? ['--repeats', String(performance.repeats)] : []),
    ...(performance.crossCheck ? ['--cross-check'] : []),
    ...tlsWords(httpTls ?? {}),
    ...(isLoopback(httpAddress) ? [] : ['--allow-remote-load', ...limitWords(limits ?? {})]),
  ];
}

const limitWords = ({ concurrency, requestsPerSecond }: RemoteLimits): string[] => [
  ...(concurrency === undefined ? [] : ['--remote-concurrency', String(concurrency)]),
  ...(requestsPerSecond === undefined ? [] : ['--remote-request-rate', String(requestsPerSecond)]),
];

const tlsWords = ({ caFile, certFile, keyFile, serverName }: TlsFiles): string[] => [
  ...(caFile === undefined ? [] : ['--tls-ca', caFile]),
  ...(certFile === undefined ? [] : ['--tls-cert', certFile]),
  ...(keyFile === undefined ? [] : ['--tls-key', keyFile]),
  ...(serverName === undefined ? [] : ['--tls-server-name', serverName]),
];

function analyzerWords(run: PlannedRun, scenario: Scenario, turn: MeasuringTurn): readonly string[] {
  const input = turnInput(run, scenario, turn);
  const tensors = run.signature.inputs.map(({ name, shape }) => ({
    name,
    shape: servedShape(shape.slice(1), input.batched),
  }));
  const { stabilityPercentage, maxTrials } = input.settings;
  return analyzerCommand(
    { ...input, inputData: { tensors } },
    { ...analyzerFiles(input.workDir), binary: run.analyzer, stabilityPercentage, maxTrials },
  );
}

/**
 * A perf_analyzer per measurement; of a search those that it may try. The native load tool is no program: its steps show the
 * CLI's verb that measures the same. Throws combination-unsupported where perf_analyzer has no flag for the load.
 */
export function sweepCommands(run: PlannedRun, scenario: Scenario): readonly StepCommand[] {
  const { performance } = run.spec;
  return performance.loadTool === 'native' || performance.crossCheck
    ? [nativeCommand(run, scenarioLevels(performance, scenario))]
    : plannedTurns(performance, scenario).map((turn) => analyzerWords(run, scenario, turn));
}
