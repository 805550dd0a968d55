import { isLoopback, parseRemoteUrl } from '../contract/address';
import { askedGpus, isElsewhere } from '../contract/run/engine-kinds';
import { overRemoteLimit } from '../contract/run/remote-limits';
import { type Scenario, scenarios } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { ofScenario, scenarioLevels, tooFewRequests, toolsOf } from '../contract/run/sweep';
import { fewestRounds } from '../domain/measured/cross-check';
import { largestOf } from '../domain/statistics';
import { configuredTraits, demandedLoad } from '../triton/model-traits';
import { allOf, type Found, problem, type RuleFinding, unsupported, warning } from './rule-finding';

function search({ performance }: RunSpec): Found {
  const { search: kind, latencyThresholdMs } = performance;
  if (kind !== 'none' && latencyThresholdMs === 0) {
    return problem(
      'performance.latencyThresholdMs',
      'A search needs a latency threshold',
      'Set the highest p99 in milliseconds, or measure all levels.',
    );
  }
  if (kind !== 'none' || latencyThresholdMs === 0) return null;
  return warning(
    'performance.latencyThresholdMs',
    'The latency threshold has no effect without a search',
    'Choose a linear or a binary search.',
  );
}

const memoryRefused = (message: string, remedy: string): RuleFinding =>
  unsupported('performance.sharedMemory', message, remedy);

/** False also of an address that is none; that is told where it stands. */
function onThisMachine(url: string): boolean {
  try {
    return isLoopback(parseRemoteUrl(url).http);
  } catch {
    return false;
  }
}

/** With a Triton of this machine that somebody else started, and that may have other clients. */
function memoryOfRunning({ performance }: RunSpec): Found {
  if (toolsOf(performance).includes('perf_analyzer')) {
    return memoryRefused(
      'perf_analyzer unregisters the shared memory of all clients of that Triton',
      'Choose "native" as the load tool, without a cross-check, or "none".',
    );
  }
  return warning(
    'performance.sharedMemory',
    "System shared memory works only if that Triton uses this machine's /dev/shm, which a containerized Triton does not",
    'Start releases from 26.04 with --allow-client-shm=true, or choose "none".',
  );
}

function sharedMemory(spec: RunSpec): Found {
  const { performance, engine } = spec;
  const { sharedMemory: kind, loadTool } = performance;
  if (kind === 'none') return null;
  if (isElsewhere(engine) && !onThisMachine(engine.url)) {
    return memoryRefused('Shared memory does not work with a server on another machine', 'Choose "none".');
  }
  if (kind === 'system') return isElsewhere(engine) ? memoryOfRunning(spec) : null;
  if (loadTool !== 'perf_analyzer') {
    return memoryRefused(
      'The built-in load generator does not support CUDA shared memory',
      'Choose "perf_analyzer" as the load tool.',
    );
  }
  return askedGpus(engine).length > 0
    ? null
    : memoryRefused('CUDA shared memory needs a GPU', 'Choose the engine "docker" with a GPU, or "none".');
}

function rounds({ performance }: RunSpec): Found {
  const { search: kind, repeats, crossCheck, sharedMemory: memory } = performance;
  return allOf(
    kind !== 'none' &&
      (repeats > 1 || crossCheck) &&
      warning(
        repeats > 1 ? 'performance.repeats' : 'performance.crossCheck',
        'A search measures each online level once, with the chosen tool',
        'Measure all levels to repeat or to cross-check them.',
      ),
    crossCheck &&
      repeats < fewestRounds &&
      warning(
        'performance.repeats',
        `With fewer than ${fewestRounds} repeats, a cross-check cannot distinguish a difference from chance`,
        `Repeat each level at least ${fewestRounds} times.`,
      ),
    crossCheck &&
      memory === 'cuda' &&
      unsupported(
        'performance.crossCheck',
        'A cross-check is not possible with CUDA shared memory, which the built-in load generator does not support',
        'Choose "system" or "none" as shared memory.',
      ),
  );
}

/** What the protocol and the batcher allow; whether the model takes it is known when it is served. */
function kind({ performance, configure }: RunSpec): Found {
  const demanded = demandedLoad(performance, configure);
  const { sequences, streaming = false, protocol, sharedMemory: memory } = demanded;
  const [field, needsGrpc] =
    performance.streaming === true
      ? ['performance.streaming', 'Streaming requires gRPC']
      : [
          'performance.protocol',
          'config.pbtxt makes the model decoupled: it responds only over a gRPC stream',
        ];
  const largest = largestOf([...performance.batchSizes, performance.onlineBatchSize]);
  return allOf(
    streaming && protocol !== 'grpc' && unsupported(field, needsGrpc, 'Choose the protocol "grpc".'),
    memory !== 'none' &&
      (streaming || sequences !== undefined) &&
      memoryRefused('Shared memory does not support streaming or sequences', 'Choose "none".'),
    sequences !== undefined &&
      largest > 1 &&
      configure.maxBatchSize > 0 &&
      unsupported(
        'performance.batchSizes',
        `The sequence batcher accepts only batch size 1, not ${largest}`,
        'Measure only batch size 1.',
      ),
    performance.sequences !== undefined &&
      !configuredTraits(configure).sequences &&
      unsupported(
        'performance.sequences',
        'The model has no sequence_batching and ignores sequences',
        'Remove the sequences, or add sequence_batching to config.pbtxt.',
      ),
  );
}

/** Load on another machine has a limit that the specification can raise. */
function remoteLoad({ performance, engine }: RunSpec): Found {
  if (!isElsewhere(engine) || onThisMachine(engine.url)) return null;
  const over = overRemoteLimit(scenarioLevels(performance, 'online'), engine.limits);
  if (over === null) return null;
  const { requestRates, requestIntervalsUs } = performance;
  const field =
    over.limit === 'concurrency' && performance.sequences !== undefined
      ? 'performance.sequences'
      : requestIntervalsUs.length > 0
        ? 'performance.requestIntervalsUs'
        : requestRates.length > 0
          ? 'performance.requestRates'
          : 'performance.concurrency';
  const remedy = `Reduce the load, or raise engine.limits.${over.limit} in run.yaml (--set engine.limits.${over.limit}=N) if the owner of the machine agrees.`;
  return problem(field, over.message, remedy);
}

function requests({ performance }: RunSpec): Found {
  const levels = [...scenarioLevels(performance, 'offline'), ...scenarioLevels(performance, 'online')];
  const [few] = levels.flatMap(
    (level) => tooFewRequests(level, performance.requestCount, toolsOf(performance)) ?? [],
  );
  const remedy = 'Raise the requests per level, or set 0 for windows.';
  return few === undefined ? null : problem('performance.requestCount', few, remedy);
}

const distinct = (findings: readonly RuleFinding[]): readonly RuleFinding[] =>
  findings.filter(
    (one, index) =>
      findings.findIndex((other) => other.field === one.field && other.message === one.message) === index,
  );

/** Of one scenario's load, and where its own fields stand. */
function scenarioProblems(spec: RunSpec, scenario: Scenario): RuleFinding[] {
  const own = spec.performance[scenario] ?? {};
  const at = (field: string): string => {
    const name = field.replace(/^performance\./, '');
    return Object.hasOwn(own, name) ? `performance.${scenario}.${name}` : field;
  };
  const performance = ofScenario(spec.performance, scenario);
  return allOf(...[sharedMemory, rounds, requests, kind].map((rule) => rule({ ...spec, performance }))).map(
    (finding) => ({ ...finding, field: at(finding.field) }),
  );
}

/** What the fields of the load say together. */
export function loadProblems(spec: RunSpec): RuleFinding[] {
  const { requestRates, requestIntervalsUs } = spec.performance;
  return allOf(
    requestRates.length > 0 &&
      requestIntervalsUs.length > 0 &&
      problem(
        'performance.requestIntervalsUs',
        '--request-rate and --request-intervals exclude each other',
        'Clear one of them.',
      ),
    search(spec),
    // What holds for both is said once.
    distinct(scenarios.flatMap((scenario) => scenarioProblems(spec, scenario))),
    remoteLoad(spec),
  );
}

const text = (shape: readonly number[]) => `[${shape.join(', ')}]`;

/** Shapes of samples against those that the file allows. */
export function shapeProblems({ model }: RunSpec): Found {
  const { source, shapes = {} } = model;
  const inputs = source?.inputs ?? [];
  const found = Object.entries(shapes).map(([name, shape]): Found => {
    const field = `model.shapes.${name}`;
    const input = inputs.find((tensor) => tensor.name === name);
    if (input === undefined) {
      const known = source === undefined ? 'none' : inputs.map((tensor) => tensor.name).join(', ');
      return problem(field, `The model has no input "${name}"`, `Inputs that take a shape: ${known}.`);
    }
    const fits =
      shape.length === input.shape.length &&
      input.shape.every((size, axis) => size === -1 || size === shape[axis]);
    if (!fits) {
      const message = `${text(shape)} does not fit ${text(input.shape)}`;
      return problem(field, message, 'Change only the dimensions given as -1.');
    }
    if (source?.batched !== true || shape[0] === 1) return null;
    return problem(
      field,
      'The first axis is the batch and must be 1 for a sample',
      `For example ${text([1, ...shape.slice(1)])}.`,
    );
  });
  return allOf(...found);
}
