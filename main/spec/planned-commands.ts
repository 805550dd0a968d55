import { dirname } from 'node:path';
import type { Signature } from '../contract/artefacts';
import { isLoopback } from '../contract/loopback';
import type { Scenario, StepId } from '../contract/run-events';
import type { DockerEngineSpec, Framework, RunSpec } from '../contract/run-spec';
import type { PlannedCommand } from '../contract/spec-tools';
import { imageFamily } from '../contract/serving';
import { allowsClientSharedMemory } from '../engine/docker/client-shared-memory';
import { containerPaths } from '../engine/docker/container-paths';
import { containerPorts, tritonCommand } from '../engine/docker/triton-command';
import { serverArguments } from '../engine/local/server-command';
import type { RemoteLimits } from '../contract/remote-limits';
import type { TlsFiles } from '../contract/tls';
import { parseRemoteUrl } from '../triton/remote-url';
import { analyzerCommand } from '../perf/analyzer/analyzer-command';
import { analyzerFiles } from '../perf/analyzer/analyzer-files';
import type { LoadLevel } from '../contract/scenario-levels';
import { scenarioLevels } from '../contract/scenario-levels';
import { defaultRelease, releaseOf } from '../machine/releases';
import type { HomeLayout } from '../platform/layout';
import { demandedLoad } from '../triton/configured-traits';
import { givenWeights } from '../contract/given-weights';
import { levelFolder, runFiles } from '../store/run-files';
import { runFolder } from '../store/run-folder';
import { toolkitWords } from '../toolkit/toolkit';
import type { ToolkitCommand } from '../toolkit/toolkit';
import {
  buildPlanCommand,
  convertCommand,
  exportCommand,
  inferFrameworkCommand,
  inferTritonCommand,
  makeDatasetCommand,
  metricsCommand,
  profileDataCommand,
  trainCommand,
  verifyCommand,
} from '../toolkit/verb-commands';

export interface CommandPlaces {
  readonly layout: Pick<
    HomeLayout,
    'python' | 'tensorflow' | 'tritonServer' | 'tritonBackends' | 'perfAnalyzer'
  >;
  /** `resources` of the product. */
  readonly resources: string;
  /** Bundled entry of the native load generator. */
  readonly workerFile: string;
}

export interface PlannedCommandsInput {
  readonly spec: RunSpec;
  readonly modelDir: string;
  readonly framework: Framework;
  /** Of the file that is served. */
  readonly signature: Signature;
  /** See `ModelSource`. */
  readonly fileSignature?: Signature | undefined;
  /** The preset has metrics to compute. */
  readonly measuresMetrics: boolean;
  readonly places: CommandPlaces;
}

/** Stands for what only the run will have: its folder, its id, the ports that the system chooses. */
const unknownRun = '<run>';

interface Addresses {
  readonly http: string;
  readonly grpc: string;
  /** Absent: in the clear. */
  readonly tls?: TlsFiles;
  /** Of the load on another machine; absent: the defaults. */
  readonly limits?: RemoteLimits | undefined;
}

function remoteAddresses(url: string, tls: TlsFiles | undefined): Addresses {
  const { http, grpc, secure } = parseRemoteUrl(url);
  return { http, grpc, ...(secure ? { tls: tls ?? {} } : {}) };
}

/** Where the clients of the run reach its Triton. */
function clientAddresses({ engine }: RunSpec): Addresses {
  switch (engine.kind) {
    case 'remote':
      return { ...remoteAddresses(engine.url, engine.tls), limits: engine.limits };
    case 'docker':
      return { http: `127.0.0.1:${containerPorts.http}`, grpc: `127.0.0.1:${containerPorts.grpc}` };
    case 'local':
      return {
        http: `127.0.0.1:${engine.httpPort ?? '<http-port>'}`,
        grpc: `127.0.0.1:${engine.grpcPort ?? '<grpc-port>'}`,
      };
  }
}

/** Of the Triton image, as far as its name says; null where it does not, and of one that is built here. */
function plannedRelease(engine: DockerEngineSpec): string | null {
  if (engine.tritonImage !== undefined) return releaseOf(engine.tritonImage);
  return imageFamily(engine) === 'ngc' ? (engine.release ?? defaultRelease) : null;
}

function serverCommand(spec: RunSpec, places: CommandPlaces, repository: string): string[] | null {
  const { engine } = spec;
  switch (engine.kind) {
    case 'remote':
      return null;
    case 'docker':
      return tritonCommand({
        builtHere: imageFamily(engine) === 'cpu' && engine.tritonImage === undefined,
        gpus: engine.gpus.length > 0,
        clientSharedMemory: allowsClientSharedMemory(spec.performance.sharedMemory, plannedRelease(engine)),
      });
    case 'local':
      return serverArguments({
        program: places.layout.tritonServer,
        backends: places.layout.tritonBackends,
        repository,
        engineId: unknownRun,
        httpPort: engine.httpPort,
        grpcPort: engine.grpcPort,
      });
  }
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
function nativeCommand(spec: RunSpec, addresses: Addresses, levels: readonly LoadLevel[]): string[] {
  const { configure } = spec;
  const performance = demandedLoad(spec.performance, configure);
  const { measurementMode, measurementRequestCount } = performance;
  const distinct = (values: readonly number[]) => [...new Set(values)].join(',');
  return [
    ...['npm', 'run', 'cli', '--', 'perf'],
    ...['--url', `${addresses.tls === undefined ? 'http' : 'https'}://${addresses.http}`],
    ...['--grpc-url', addresses.grpc, '--model', configure.modelName],
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
    ...tlsWords(addresses.tls ?? {}),
    ...(isLoopback(addresses.http) ? [] : ['--allow-remote-load', ...limitWords(addresses.limits ?? {})]),
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

/**
 * The commands of every step of a run to come, as the steps themselves will run them; in containers as they run inside.
 * The native load tool is no program: its steps show the CLI's verb that measures the same. Pure.
 * Throws input-invalid for a remote address that cannot be read.
 */
export function plannedCommands(input: PlannedCommandsInput): readonly PlannedCommand[] {
  const { spec, places, signature, framework } = input;
  const docker = spec.engine.kind === 'docker';
  const folder = runFolder(unknownRun);
  const files = runFiles(folder, spec, framework);
  const source = { modelDir: input.modelDir, spec, framework, fileSignature: input.fileSignature };
  const addresses = clientAddresses(spec);
  const paths = containerPaths({
    runDir: unknownRun,
    resources: places.resources,
    bundles: dirname(places.workerFile),
    spec,
  });
  const seen = (words: readonly string[]) => (docker ? words.map((word) => paths.toContainer(word)) : words);
  const planned: PlannedCommand[] = [];
  const add = (step: StepId, argv: readonly string[]) => planned.push({ step, argv: seen(argv) });
  const own = framework === 'tf' ? places.layout.tensorflow : places.layout.python;
  const python = docker ? 'python' : own;
  const toolkit = (step: StepId, command: ToolkitCommand) => add(step, [python, ...toolkitWords(command)]);

  if (spec.model.dataset === undefined) toolkit('prepare-data', makeDatasetCommand(source, files.dataset));
  if (givenWeights(spec.model) === undefined) {
    toolkit('prepare-data', trainCommand(source, files.dataset, files.checkpoint));
  }
  toolkit('export', exportCommand(source, files, files.exported));
  toolkit(
    'convert',
    spec.format === 'trt'
      ? buildPlanCommand(source, files.dataset, files.exported, files.converted, null)
      : convertCommand(spec, files.exported, files.converted),
  );
  const server = serverCommand(spec, places, folder.repository);
  if (server !== null) add('deploy', server);
  toolkit('accuracy', inferFrameworkCommand(source, files, files.frameworkDump));
  toolkit(
    'accuracy',
    inferTritonCommand(
      source,
      files.dataset,
      { grpcAddress: addresses.grpc, grpcTls: addresses.tls },
      files.tritonDump,
    ),
  );
  toolkit('accuracy', verifyCommand(spec, files.frameworkDump, files.tritonDump));
  if (input.measuresMetrics) {
    toolkit('accuracy', metricsCommand(source, files.dataset, files.frameworkDump, files.frameworkMetrics));
    toolkit('accuracy', metricsCommand(source, files.dataset, files.tritonDump, files.tritonMetrics));
  }
  if (spec.performance.inputData !== 'file')
    toolkit('profile-data', profileDataCommand(source, files.dataset, signature.inputs, files.inputData));
  const measure = (scenario: Scenario) => {
    const levels = scenarioLevels(spec.performance, scenario);
    if (spec.performance.loadTool === 'native' || spec.performance.crossCheck) {
      add(scenario, nativeCommand(spec, addresses, levels));
      return;
    }
    for (const level of levels)
      add(scenario, analyzerWords(input, addresses, level, levelFolder(folder, scenario, level)));
  };
  measure('offline');
  measure('online');
  return planned;
}

function analyzerWords(
  { spec, places, signature }: PlannedCommandsInput,
  addresses: Addresses,
  level: LoadLevel,
  workDir: string,
): string[] {
  const { configure } = spec;
  const performance = demandedLoad(spec.performance, configure);
  const tensors = signature.inputs.map(({ name, shape }) => ({ name, shape: shape.slice(1) }));
  return analyzerCommand(
    {
      httpAddress: addresses.http,
      grpcAddress: addresses.grpc,
      httpTls: addresses.tls,
      grpcTls: addresses.tls,
      protocol: performance.protocol,
      modelName: configure.modelName,
      modelVersion: String(configure.modelVersion),
      level,
      settings: performance,
      inputData: { tensors },
    },
    {
      ...analyzerFiles(workDir),
      binary: spec.engine.kind === 'docker' ? 'perf_analyzer' : places.layout.perfAnalyzer,
      stabilityPercentage: performance.stabilityPercentage,
      maxTrials: performance.maxTrials,
    },
  );
}
