import { fewestRounds } from '../contract/cross-check';
import { isLoopback } from '../contract/loopback';
import { toolsOf } from '../contract/measuring-order';
import { overRemoteLimit } from '../contract/remote-limits';
import type { RunSpec } from '../contract/run-spec';
import { scenarioLevels } from '../contract/scenario-levels';
import { parseRemoteUrl } from '../triton/remote-url';
import { configuredTraits, demandedLoad } from '../triton/configured-traits';
import { problem, warning } from './rule-finding';
import type { RuleFinding } from './rule-finding';
import { largestOf } from '../contract/extremes';

function search({ performance }: RunSpec): RuleFinding[] {
  const { search: kind, latencyThresholdMs } = performance;
  if (kind !== 'none' && latencyThresholdMs === 0) {
    return [
      problem(
        'performance.latencyThresholdMs',
        'A search needs a latency threshold',
        'Give the largest p99 in milliseconds, or measure all levels.',
      ),
    ];
  }
  if (kind === 'none' && latencyThresholdMs > 0) {
    return [
      warning(
        'performance.latencyThresholdMs',
        'Without a search the latency to stay below has no effect',
        'Choose a linear or a binary search.',
      ),
    ];
  }
  return [];
}

const memoryRefused = (message: string, remedy: string): RuleFinding[] => [
  problem('performance.sharedMemory', message, remedy, 'combination-unsupported'),
];

/** False also of an address that is none; that is told where it stands. */
function onThisMachine(url: string): boolean {
  try {
    return isLoopback(parseRemoteUrl(url).http);
  } catch {
    return false;
  }
}

/** With a Triton of this machine that somebody else started, and that may have other clients. */
function memoryOfRunning({ performance }: RunSpec): RuleFinding[] {
  if (toolsOf(performance).includes('perf_analyzer')) {
    return memoryRefused(
      "perf_analyzer unregisters the shared memory of all of that Triton's clients",
      'Choose "native" as the load tool, without a cross-check, or "none".',
    );
  }
  return [
    warning(
      'performance.sharedMemory',
      "It serves only where that Triton sees this machine's /dev/shm, which one in a container does not",
      'From release 26.04 on start it with --allow-client-shm=true as well; else choose "none".',
    ),
  ];
}

function sharedMemory(spec: RunSpec): RuleFinding[] {
  const { performance, engine } = spec;
  const { sharedMemory: kind, loadTool } = performance;
  if (kind === 'none') return [];
  if (engine.kind === 'remote' && !onThisMachine(engine.url)) {
    return memoryRefused('Another machine has no memory in common with this one', 'Choose "none".');
  }
  if (kind === 'system') return engine.kind === 'remote' ? memoryOfRunning(spec) : [];
  if (loadTool !== 'perf_analyzer') {
    return memoryRefused(
      'The native generator does not support CUDA shared memory',
      'Choose "perf_analyzer" as the load tool.',
    );
  }
  return engine.kind === 'docker' && engine.gpus.length > 0
    ? []
    : memoryRefused('CUDA shared memory needs a GPU', 'Choose the engine "docker" with a GPU, or "none".');
}

function rounds({ performance }: RunSpec): RuleFinding[] {
  const { search: kind, repeats, crossCheck, sharedMemory: memory } = performance;
  const findings: RuleFinding[] = [];
  if (kind !== 'none' && (repeats > 1 || crossCheck)) {
    findings.push(
      warning(
        repeats > 1 ? 'performance.repeats' : 'performance.crossCheck',
        'A search measures each online level once, with the chosen tool',
        'Measure all levels to repeat or to cross-check them.',
      ),
    );
  }
  if (crossCheck && repeats < fewestRounds) {
    findings.push(
      warning(
        'performance.repeats',
        `With fewer than ${fewestRounds} repeats a cross-check cannot tell a difference from chance`,
        `Repeat each level ${fewestRounds} times or more.`,
      ),
    );
  }
  if (crossCheck && memory === 'cuda') {
    findings.push(
      problem(
        'performance.crossCheck',
        'The native generator has no CUDA shared memory to cross-check with',
        'Choose "system" or "none" as shared memory.',
        'combination-unsupported',
      ),
    );
  }
  return findings;
}

/** What the protocol and the batcher allow; whether the model takes it is known when it is served. */
function kind({ performance, configure }: RunSpec): RuleFinding[] {
  const demanded = demandedLoad(performance, configure);
  const { sequences, streaming = false, protocol, sharedMemory: memory } = demanded;
  const unsupported = 'combination-unsupported';
  const found: RuleFinding[] = [];
  if (streaming && protocol !== 'grpc') {
    const remedy = 'Choose the protocol "grpc".';
    found.push(
      performance.streaming === true
        ? problem(
            'performance.streaming',
            'Streams are of gRPC: HTTP has no counterpart',
            remedy,
            unsupported,
          )
        : problem(
            'performance.protocol',
            'config.pbtxt makes the model decoupled: it responds only over a gRPC stream',
            remedy,
            unsupported,
          ),
    );
  }
  if (memory !== 'none' && (streaming || sequences !== undefined)) {
    const message = 'Shared memory holds one answer of a request that stands for itself';
    found.push(problem('performance.sharedMemory', message, 'Choose "none".', unsupported));
  }
  const largest = largestOf([...performance.batchSizes, performance.onlineBatchSize]);
  if (sequences !== undefined && largest > 1 && configure.maxBatchSize > 0) {
    const message = `The sequence batcher takes requests of batch size 1, not ${largest}`;
    found.push(problem('performance.batchSizes', message, 'Measure only batch size 1.', unsupported));
  }
  if (performance.sequences !== undefined && !configuredTraits(configure).sequences) {
    const message = 'The model has no sequence_batching: it does not see which requests belong together';
    const remedy = 'Leave the sequences out, or add sequence_batching to config.pbtxt.';
    found.push(problem('performance.sequences', message, remedy, unsupported));
  }
  return found;
}

/** Load on another machine has a limit that the specification can raise. */
function remoteLoad({ performance, engine }: RunSpec): RuleFinding[] {
  if (engine.kind !== 'remote' || onThisMachine(engine.url)) return [];
  const over = overRemoteLimit(scenarioLevels(performance, 'online'), engine.limits);
  if (over === null) return [];
  const { requestRates, requestIntervalsUs } = performance;
  const field =
    over.limit === 'concurrency' && performance.sequences !== undefined
      ? 'performance.sequences'
      : requestIntervalsUs.length > 0
        ? 'performance.requestIntervalsUs'
        : requestRates.length > 0
          ? 'performance.requestRates'
          : 'performance.concurrency';
  const remedy = `Send less; or, where its owner agrees, raise engine.limits.${over.limit} in run.yaml (--set engine.limits.${over.limit}=N).`;
  return [problem(field, over.message, remedy)];
}

/** What the fields of the load say together. */
export function loadProblems(spec: RunSpec): RuleFinding[] {
  const { requestRates, requestIntervalsUs } = spec.performance;
  const doubled =
    requestRates.length > 0 && requestIntervalsUs.length > 0
      ? [
          problem(
            'performance.requestIntervalsUs',
            '--request-rate and --request-intervals exclude each other',
            'Empty one of them.',
          ),
        ]
      : [];
  return [
    ...doubled,
    ...search(spec),
    ...sharedMemory(spec),
    ...rounds(spec),
    ...kind(spec),
    ...remoteLoad(spec),
  ];
}
