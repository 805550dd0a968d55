import type { PerformanceSpec, Replay } from '../../contract/run/run-spec';
import { toolsOf } from '../../contract/run/sweep';
import { allOf, type Found, problem, unsupported } from './rule-finding';

const field = 'performance.replay.file';

interface ReplayLoad {
  readonly performance: PerformanceSpec;
  readonly model: { readonly name: string; readonly maxBatchSize: number | null };
  readonly isServer: boolean;
}

/** Other loads of the same level. */
function others({ requestRates, requestIntervalsUs, search, requestCount }: PerformanceSpec): Found {
  const excluded = (name: string, isGiven: boolean, what: string, remedy: string): Found =>
    isGiven && problem(`performance.${name}`, `A replayed trace and ${what} cannot be used together`, remedy);
  const one = 'Choose one of them.';
  return allOf(
    excluded('requestRates', requestRates.length > 0, 'request rates', one),
    excluded('requestIntervalsUs', requestIntervalsUs.length > 0, 'request intervals', one),
    excluded('search', search !== 'none', 'a search over levels', 'Change the speed instead, one run each.'),
    excluded(
      'requestCount',
      requestCount > 0,
      'a number of requests',
      'Limit the part of the trace instead.',
    ),
  );
}

/** What the other ways to send do not have: times, sizes and inputs that differ from request to request. */
function ways(performance: PerformanceSpec): Found {
  const { loadTool, sharedMemory, sequences } = performance;
  return allOf(
    toolsOf(performance).includes('perf_analyzer') &&
      unsupported(
        loadTool === 'perf_analyzer' ? 'performance.loadTool' : 'performance.crossCheck',
        'perf_analyzer cannot replay a trace: it repeats a list of intervals in windows of its own, and measures latency from the send',
        'Choose "native" as the load tool, without a cross-check.',
      ),
    sharedMemory !== 'none' &&
      unsupported(
        'performance.sharedMemory',
        'Shared memory has room for requests of one batch size, and those of a trace may differ',
        'Choose "none".',
      ),
    sequences !== undefined &&
      unsupported(
        'performance.sequences',
        'A trace does not record which request belongs to which sequence',
        'Measure a stateful model with a concurrency or with request rates.',
      ),
  );
}

function part({ fromS, toS }: Replay): Found {
  return (
    toS !== undefined &&
    toS <= fromS &&
    problem('performance.replay.toS', 'The end of the part is not after its start', 'Give a later end.')
  );
}

function sizes({ read }: Replay, { performance, model, isServer }: ReplayLoad): Found {
  const largest = read?.largestBatchSize;
  if (largest === undefined) return null;
  const { name, maxBatchSize } = model;
  const limit = Math.max(1, maxBatchSize ?? largest);
  return allOf(
    largest > limit &&
      problem(
        field,
        `A request of the trace has ${largest} items, more than the maximum batch size ${limit} of ${name}`,
        'Raise the maximum batch size, or remove the column with the sizes.',
      ),
    isServer &&
      performance.batchSizes.length > 1 &&
      problem('performance.batchSizes', 'The trace has a batch size for each request', 'Give one number.'),
  );
}

/** What a load with a replayed trace cannot be, by field path. */
export function replayFindings(load: ReplayLoad): Found {
  const { replay } = load.performance;
  if (replay === undefined) return null;
  return allOf(others(load.performance), ways(load.performance), part(replay), sizes(replay, load));
}
