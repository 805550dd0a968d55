import { fewestRounds } from '../contract/cross-check';
import type { RunSpec } from '../contract/run-spec';
import { configuredTraits, demandedLoad } from '../triton/configured-traits';
import { problem, warning } from './rule-finding';
import type { RuleFinding } from './rule-finding';

function search({ performance }: RunSpec): RuleFinding[] {
  const { search: kind, latencyThresholdMs } = performance;
  if (kind !== 'none' && latencyThresholdMs === 0) {
    return [
      problem(
        'performance.latencyThresholdMs',
        'A search needs the latency to stay below',
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

function sharedMemory({ performance, engine }: RunSpec): RuleFinding[] {
  const { sharedMemory: kind, loadTool } = performance;
  const refused = (message: string, remedy: string) => [
    problem('performance.sharedMemory', message, remedy, 'combination-unsupported'),
  ];
  if (kind === 'none') return [];
  if (engine.kind === 'remote') {
    return refused('Another machine has no memory in common with this one', 'Choose "none".');
  }
  if (kind === 'system') {
    return engine.kind === 'docker'
      ? refused(
          'The containers of a run have a /dev/shm of their own each',
          'Choose "none", or the engine "local".',
        )
      : [];
  }
  if (loadTool !== 'perf_analyzer') {
    return refused(
      'The native generator has no CUDA shared memory',
      'Choose "perf_analyzer" as the load tool.',
    );
  }
  return engine.kind === 'docker' && engine.gpus.length > 0
    ? []
    : refused('CUDA shared memory needs a GPU', 'Choose the engine "docker" with a GPU, or "none".');
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
            'config.pbtxt makes the model decoupled: it answers over a gRPC stream alone',
            remedy,
            unsupported,
          ),
    );
  }
  if (memory !== 'none' && (streaming || sequences !== undefined)) {
    const message = 'Shared memory holds one answer of a request that stands for itself';
    found.push(problem('performance.sharedMemory', message, 'Choose "none".', unsupported));
  }
  const largest = Math.max(...performance.batchSizes, performance.onlineBatchSize);
  if (sequences !== undefined && largest > 1 && configure.maxBatchSize > 0) {
    const message = `The sequence batcher takes requests of batch size 1, not ${largest}`;
    found.push(problem('performance.batchSizes', message, 'Measure batch size 1 alone.', unsupported));
  }
  if (performance.sequences !== undefined && !configuredTraits(configure).sequences) {
    const message = 'The model has no sequence_batching: it does not see which requests belong together';
    const remedy = 'Leave the sequences out, or add sequence_batching to config.pbtxt.';
    found.push(problem('performance.sequences', message, remedy, unsupported));
  }
  return found;
}

/** What the fields of the load say together. */
export function loadProblems(spec: RunSpec): RuleFinding[] {
  const { requestRates, requestIntervalsUs } = spec.performance;
  const doubled =
    requestRates.length > 0 && requestIntervalsUs.length > 0
      ? [
          problem(
            'performance.requestIntervalsUs',
            'A request rate and intervals are two ways to say the same',
            'Empty one of them.',
          ),
        ]
      : [];
  return [...doubled, ...search(spec), ...sharedMemory(spec), ...rounds(spec), ...kind(spec)];
}
