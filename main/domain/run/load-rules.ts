import { isLoopback, parseRemoteUrl } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { sendsText } from '../../contract/load/generation';
import { defaultRemoteLimits, type RemoteLimits } from '../../contract/load/remote-limits';
import { peakRateOf, stagesOf } from '../../contract/load/stages';
import { askedGpus, isElsewhere } from '../../contract/run/engine-kinds';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import type { LoadTool, PerformanceSpec, Protocol, RunSpec } from '../../contract/run/run-spec';
import {
  fewestRounds,
  isOpenLoop,
  type LoadLevel,
  ofScenario,
  scenarioLevels,
  toolsOf,
} from '../../contract/run/sweep';
import { present } from '../../contract/trees';
import { largestOf } from '../statistics';
import { arrivalFindings } from './arrival-rules';
import { generationFindings } from './generation-rules';
import { replayFindings } from './replay-rules';
import { allOf, type Found, problem, type RuleFinding, unsupported, warning } from './rule-finding';

export interface ModelTraits {
  /** Keeps state between the requests of a sequence (`sequence_batching`). */
  readonly sequences: boolean;
  /** Any number of answers per request (`model_transaction_policy`). */
  readonly decoupled: boolean;
}

export interface LoadedModel {
  readonly name: string;
  /** 0: no batching; null: unknown. */
  readonly maxBatchSize: number | null;
  /** null: unknown. */
  readonly traits: ModelTraits | null;
}

export interface JudgedLoad {
  readonly performance: PerformanceSpec;
  readonly levels: readonly LoadLevel[];
  readonly model: LoadedModel;
  /** A running server has no scenarios, and whoever names it knows its other clients. */
  readonly isServer: boolean;
  /** Address of a running Triton; null: the run starts it. */
  readonly running: {
    readonly isHere: boolean;
    /** null: the load was admitted before. */
    readonly limits: RemoteLimits | null;
  } | null;
  /** GPUs that a run asks for; null: the server's. */
  readonly gpus: number | null;
}

/** Kind of requests, whatever their number. */
export interface SentRequests {
  readonly protocol: Protocol;
  readonly batchSizes: readonly number[];
  /** The chosen tool first. */
  readonly tools: readonly LoadTool[];
  readonly settings: {
    readonly [Name in 'sequences' | 'streaming' | 'sharedMemory' | 'generation']?:
      PerformanceSpec[Name] | undefined;
  };
}

const memoryRefused = (message: string, remedy: string): RuleFinding =>
  unsupported('performance.sharedMemory', message, remedy);

/** Requests larger than the model's batch, by the field that asks for them. */
export function batchFindings(
  sizes: { readonly [Name in 'batchSizes' | 'onlineBatchSize']?: readonly number[] },
  { name, maxBatchSize }: LoadedModel,
): RuleFinding[] {
  if (maxBatchSize === null) return [];
  const limit = Math.max(1, maxBatchSize);
  const why =
    maxBatchSize === 0
      ? 'The model is served without batching, one item per request'
      : `The maximum is ${limit}`;
  return Object.entries(sizes).flatMap(([field, all]) => {
    const over = all.filter((size) => size > limit);
    if (over.length === 0) return [];
    const message = `${over.join(', ')} exceeds the maximum batch size ${limit} of ${name}`;
    return problem(`performance.${field}`, message, `${why}: send batches of up to ${limit}, or raise it.`);
  });
}

function rates({ performance, isServer }: JudgedLoad): Found {
  const { requestRates, requestIntervalsUs, concurrency } = performance;
  return allOf(
    requestRates.length > 0 &&
      requestIntervalsUs.length > 0 &&
      problem(
        'performance.requestIntervalsUs',
        'Request rates and request intervals cannot be used together',
        'Choose one of them.',
      ),
    isServer &&
      isOpenLoop(performance) &&
      concurrency.length > 1 &&
      problem(
        'performance.concurrency',
        'With a request rate, the concurrency is the single limit of concurrent requests',
        'Give one number.',
      ),
  );
}

function search({ performance }: JudgedLoad): Found {
  const { search: kind, latencyThresholdMs } = performance;
  if (kind !== 'none' && latencyThresholdMs === 0) {
    return problem(
      'performance.latencyThresholdMs',
      'A search needs a latency threshold',
      'Set the highest p99 in milliseconds, for example 20, or measure all levels.',
    );
  }
  const isBudget = performance.stages !== undefined || performance.sliceDurationS !== undefined;
  if (kind !== 'none' || latencyThresholdMs === 0 || isBudget) return null;
  return warning(
    'performance.latencyThresholdMs',
    'The latency threshold has no effect without a search',
    'Choose a linear or a binary search.',
  );
}

function rounds({ performance, isServer }: JudgedLoad): Found {
  const { search: kind, repeats, crossCheck } = performance;
  // A run still cross-checks its offline levels; a server has only the search.
  const find = isServer && crossCheck ? unsupported : warning;
  return allOf(
    kind !== 'none' &&
      (repeats > 1 || crossCheck) &&
      find(
        repeats > 1 && !(isServer && crossCheck) ? 'performance.repeats' : 'performance.crossCheck',
        'A search measures each of its levels once, with the chosen load tool',
        'Measure all levels to repeat or to cross-check them.',
      ),
    crossCheck &&
      repeats < fewestRounds &&
      warning(
        'performance.repeats',
        `With fewer than ${fewestRounds} repeats, a cross-check cannot distinguish a difference from chance`,
        `Repeat each level at least ${fewestRounds} times.`,
      ),
  );
}

/** A running Triton of this machine may have other clients. */
function memoryOfRunning({ performance }: JudgedLoad): Found {
  if (toolsOf(performance).includes('perf_analyzer')) {
    return memoryRefused(
      'perf_analyzer unregisters the shared memory of all clients of that Triton',
      'Choose the built-in load generator (native) without a cross-check, or no shared memory (none).',
    );
  }
  return warning(
    'performance.sharedMemory',
    "System shared memory works only if that Triton uses this machine's /dev/shm, which a containerized Triton does not",
    'Start releases from 26.04 with --allow-client-shm=true, or choose "none".',
  );
}

function memoryOfTriton(load: JudgedLoad): Found {
  const { performance, running, isServer, gpus } = load;
  const { sharedMemory: kind, loadTool } = performance;
  if (kind === 'none') return null;
  if (running !== null && !running.isHere) {
    return memoryRefused(
      'Shared memory does not work with a server on another machine',
      'Choose "none", or measure on the machine of the server.',
    );
  }
  if (kind === 'system') return running === null || isServer ? null : memoryOfRunning(load);
  return (
    gpus === 0 &&
    loadTool === 'perf_analyzer' &&
    memoryRefused('CUDA shared memory needs a GPU', 'Choose the engine "docker" with a GPU, or "none".')
  );
}

/** Fewest requests of a level; perf_analyzer also needs one second of a rate. */
function tooFew({ requestRate, concurrency }: LoadLevel, { requestCount, ...how }: PerformanceSpec): Found {
  const tools = toolsOf(how);
  if (requestCount === 0 || requestCount >= Math.floor(requestRate ?? concurrency)) return null;
  if (requestRate !== undefined && !tools.includes('perf_analyzer')) return null;
  return problem(
    'performance.requestCount',
    requestRate === undefined
      ? `A level of concurrency ${concurrency} needs at least as many requests, not ${requestCount}`
      : `perf_analyzer needs at least as many requests per level as ${requestRate} requests/s, not ${requestCount}`,
    'Raise it, or leave it out to measure windows until they are steady.',
  );
}

const requests = ({ performance, levels }: JudgedLoad): Found =>
  allOf(...levels.map((level) => tooFew(level, performance))).slice(0, 1);

/** Field that exceeds the other machine's limit. */
function loadField({ performance, isServer }: JudgedLoad, limit: keyof RemoteLimits): string {
  if (limit === 'concurrency' && performance.sequences !== undefined) return 'performance.sequences';
  if (!isOpenLoop(performance) || (isServer && limit === 'concurrency')) return 'performance.concurrency';
  if (performance.replay !== undefined) return 'performance.replay.file';
  if (performance.stages !== undefined) return 'performance.stages';
  return performance.requestIntervalsUs.length > 0
    ? 'performance.requestIntervalsUs'
    : 'performance.requestRates';
}

/** Load on another machine is limited; its owner can allow more. */
function remoteLoad(load: JudgedLoad): Found {
  const { levels, running } = load;
  if (running === null || running.isHere || running.limits === null) return null;
  const { concurrency, requestsPerSecond } = { ...defaultRemoteLimits, ...present(running.limits) };
  const over = (limit: keyof RemoteLimits, text: string): Found =>
    problem(
      loadField(load, limit),
      `${text} that may be sent to another machine`,
      `Reduce the load, or raise engine.limits.${limit} if the owner of the machine agrees.`,
    );
  const { stages } = load.performance;
  for (const { requestRate = 0, concurrency: underWay } of levels) {
    const peak = stages === undefined ? requestRate : peakRateOf(stagesOf(stages, requestRate));
    if (peak > requestsPerSecond) {
      const text = `${Math.round(peak)} requests per second are more than the ${requestsPerSecond}`;
      return over('requestsPerSecond', text);
    }
    if (underWay > concurrency) {
      return over('concurrency', `${underWay} requests at a time are more than the ${concurrency}`);
    }
  }
  return null;
}

function sharedTensors({ tools, settings }: SentRequests): Found {
  const { sequences, streaming = false, sharedMemory = 'none' } = settings;
  if (sharedMemory === 'none') return null;
  return allOf(
    sharedMemory === 'cuda' &&
      tools.includes('native') &&
      unsupported(
        tools[0] === 'native' ? 'performance.sharedMemory' : 'performance.crossCheck',
        'The built-in load generator does not support CUDA shared memory',
        'Choose "perf_analyzer" as the load tool, without a cross-check.',
      ),
    streaming
      ? memoryRefused(
          'Shared memory does not support streaming: several responses to a request would overwrite each other',
          'Choose "none".',
        )
      : sequences !== undefined &&
          memoryRefused(
            'Shared memory does not support sequences: their responses cannot be compared with those of a single request',
            'Choose "none".',
          ),
  );
}

function sequencesOf({ settings, batchSizes }: SentRequests, model: LoadedModel): Found {
  const { name, maxBatchSize, traits } = model;
  const { sequences } = settings;
  const largest = largestOf(batchSizes);
  return allOf(
    traits?.sequences === true &&
      sequences === undefined &&
      unsupported(
        'performance.sequences',
        `${name} is stateful and does not accept requests outside a sequence`,
        'Set the length of the sequences, for example 20.',
      ),
    traits?.sequences === false &&
      sequences !== undefined &&
      unsupported(
        'performance.sequences',
        `${name} has no sequence_batching and ignores sequences`,
        'Remove the sequences, or add sequence_batching to config.pbtxt.',
      ),
    sequences !== undefined &&
      largest > 1 &&
      maxBatchSize !== 0 &&
      unsupported(
        'performance.batchSizes',
        `The sequence batcher accepts only batch size 1, not ${largest}`,
        'Use batch size 1. The batcher combines several sequences into batches.',
      ),
  );
}

function stream({ settings, protocol }: SentRequests, { name, traits }: LoadedModel): Found {
  const { streaming = false } = settings;
  // The generate extension passes on any number of responses.
  if (sendsText(settings)) return null;
  if (traits?.decoupled === true) {
    return (
      !(streaming && protocol === 'grpc') &&
      unsupported(
        streaming ? 'performance.protocol' : 'performance.streaming',
        `${name} is decoupled: it may send any number of responses, and only over a gRPC stream`,
        'Choose streaming and the protocol "grpc".',
      )
    );
  }
  const message = 'Streaming requires gRPC';
  return (
    streaming &&
    protocol !== 'grpc' &&
    unsupported('performance.streaming', message, 'Choose the protocol "grpc".')
  );
}

/** What model and load tools refuse, whatever the server. */
export const sentFindings = (sent: SentRequests, model: LoadedModel): RuleFinding[] =>
  allOf(sharedTensors(sent), sequencesOf(sent, model), stream(sent, model));

const rules = [
  generationFindings,
  arrivalFindings,
  rates,
  replayFindings,
  search,
  memoryOfTriton,
  rounds,
  requests,
  remoteLoad,
];

export function loadFindings(load: JudgedLoad): RuleFinding[] {
  const { performance, model } = load;
  const { protocol, batchSizes, onlineBatchSize } = performance;
  const sent = {
    protocol,
    batchSizes: [...batchSizes, onlineBatchSize],
    tools: toolsOf(performance),
    settings: performance,
  };
  return allOf(
    batchFindings({ batchSizes, onlineBatchSize: [onlineBatchSize] }, model),
    ...rules.map((rule) => rule(load)),
    sentFindings(sent, model),
  );
}

/** False also of an invalid address, which another rule reports. */
function isHere(url: string): boolean {
  try {
    return isLoopback(parseRemoteUrl(url).http);
  } catch {
    return false;
  }
}

/** One scenario's load, by its own fields where it has them. */
function scenarioFindings(
  { performance: both, engine }: Pick<RunSpec, 'performance' | 'engine'>,
  scenario: Scenario,
  model: LoadedModel,
) {
  const own = both[scenario] ?? {};
  const performance = ofScenario(both, scenario);
  const running = isElsewhere(engine) ? { isHere: isHere(engine.url), limits: engine.limits ?? {} } : null;
  const found = loadFindings({
    performance,
    model,
    running,
    isServer: false,
    gpus: askedGpus(engine).length,
    levels: scenarioLevels(performance, scenario),
  });
  return found.map((finding) => {
    const name = finding.field.replace(/^performance\./, '');
    return Object.hasOwn(own, name) ? { ...finding, field: `performance.${scenario}.${name}` } : finding;
  });
}

/** Problems of a run's load, by field path. @param spec load as demanded by the model's configuration */
export function runLoadFindings(
  spec: Pick<RunSpec, 'performance' | 'engine'>,
  model: LoadedModel,
): RuleFinding[] {
  const all = scenarios.flatMap((scenario) => scenarioFindings(spec, scenario, model));
  // Common findings of both scenarios are reported once.
  return all.filter(
    ({ field, message }, index) =>
      all.findIndex((other) => other.field === field && other.message === message) === index,
  );
}

/** Throws input-invalid or combination-unsupported for the first problem; `where` is its field path. */
export function requireLoad(findings: readonly RuleFinding[]): void {
  const first = findings.find(({ severity }) => severity === 'problem');
  if (first === undefined) return;
  const { code, message, field: where, remedy } = first;
  throw new WorkbenchError(code === 'spec-invalid' ? 'input-invalid' : code, message, {
    where,
    remedy: remedy ?? undefined,
  });
}
