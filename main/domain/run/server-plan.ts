import { isLoopback } from '../../contract/address';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { applies, baseDefaults, valuesAt } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import { overRemoteLimit, type RemoteLimits } from '../../contract/run/remote-limits';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { type ServerLoad, serverSettingsSchema } from '../../contract/run/server-load';
import {
  type LoadLevel,
  mostUnderWay,
  rateOfIntervals,
  tooFewRequests,
  toolsOf,
} from '../../contract/run/sweep';
import { treeOf } from '../../contract/run/upstream-variables';
import { getAt, mergeTrees, type Tree } from '../../contract/trees';
import { fewestRounds } from '../measured/cross-check';

/** What a server's load has in place of a run's default: it is started by somebody who waits. */
export const serverDefaults: Readonly<Record<string, unknown>> = {
  'performance.measurementIntervalMs': 2000,
};

/** What decides the levels, as numbers. */
interface LevelNumbers {
  readonly batchSizes: readonly number[];
  /** undefined: nothing is said. */
  readonly concurrency?: readonly number[] | undefined;
  readonly requestRates?: readonly number[] | undefined;
  readonly intervalsUs?: readonly number[] | undefined;
  /** Of stateful models: a slot each. */
  readonly sequencesAtOnce?: number | undefined;
}

/**
 * Each batch size with each concurrency, or with each request rate; a concurrency beside a rate is the
 * most requests under way. Throws input-invalid.
 */
export function readLevels(numbers: LevelNumbers): readonly LoadLevel[] {
  const { batchSizes, concurrency, requestRates = [], intervalsUs = [], sequencesAtOnce } = numbers;
  if (requestRates.length > 0 && intervalsUs.length > 0) {
    throw invalidInput(
      'performance.requestIntervalsUs',
      'A request rate and intervals are two ways to say the same',
      'Give one of them.',
    );
  }
  const rates = intervalsUs.length > 0 ? [rateOfIntervals(intervalsUs)] : requestRates;
  const counts = concurrency ?? [rates.length > 0 ? (sequencesAtOnce ?? mostUnderWay) : 1];
  const [most = mostUnderWay, ...others] = counts;
  if (rates.length > 0 && others.length > 0) {
    throw invalidInput(
      'performance.concurrency',
      'With a request rate there is one limit of concurrent requests',
      'Give one number.',
    );
  }
  return batchSizes.flatMap<LoadLevel>((batchSize) =>
    rates.length > 0
      ? rates.map((rate) => ({ batchSize, concurrency: most, requestRate: rate }))
      : counts.map((concurrency) => ({ batchSize, concurrency })),
  );
}

type Rounds = Pick<ServerLoad, 'repeats' | 'tools' | 'search'>;

/** Who says how many requests there are wants no others that nobody asked for. */
function withoutUntypedWarmup(load: PerformanceSpec, given: Tree): PerformanceSpec {
  const isCounted = load.requestCount + load.warmupRequestCount > 0;
  return isCounted && getAt(given, ['performance', 'warmupMs']) === undefined
    ? { ...load, warmupMs: 0 }
    : load;
}

/** What was chosen over the defaults, held against the same limits as a run. Throws input-invalid. */
function readLoad(given: Tree): PerformanceSpec {
  const usual = Object.entries(serverDefaults).map(([path, value]) => treeOf(path, value));
  const tree = [...usual, { performance: { concurrency: [1], onlineBatchSize: 1 } }, given].reduce<Tree>(
    mergeTrees,
    baseDefaults,
  );
  const { data, error } = serverSettingsSchema.safeParse(tree['performance']);
  if (data !== undefined) return withoutUntypedWarmup(data, given);
  const [issue] = error.issues;
  throw invalidInput(['performance', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'not valid');
}

/** null: all levels are measured. Throws input-invalid. */
function readSearch({ search: kind, latencyThresholdMs }: PerformanceSpec): ServerLoad['search'] {
  if (kind === 'none' && latencyThresholdMs === 0) return null;
  if (latencyThresholdMs === 0) {
    throw new WorkbenchError('input-invalid', 'A search needs a latency threshold', {
      where: 'performance.latencyThresholdMs',
      remedy: 'Give the largest p99 in milliseconds, for example 20.',
    });
  }
  return { kind: kind === 'none' ? 'linear' : kind, thresholdUs: latencyThresholdMs * 1000 };
}

/** How the levels are measured, by the options of rounds and tools. Throws combination-unsupported. */
function readRounds(load: PerformanceSpec, repeatsGiven: boolean): Rounds {
  const { crossCheck, loadTool } = load;
  const search = readSearch(load);
  if (crossCheck && search !== null) {
    throw new WorkbenchError('combination-unsupported', 'A search measures with one load tool only', {
      where: 'performance.crossCheck',
      remedy: 'Cross-check levels of a concurrency or request rate, without a search.',
    });
  }
  const repeats = crossCheck && !repeatsGiven ? fewestRounds : load.repeats;
  return { repeats, tools: toolsOf({ loadTool, crossCheck }), search };
}

/** What cannot go together, as the rules of a run say it of its fields. */
function checkTogether(load: PerformanceSpec, tools: ServerLoad['tools'], given: Tree): void {
  const valueAt = valuesAt({ performance: load });
  const idle = performanceFields.find(
    (row) =>
      row.onlyWith?.isNeeded === true && valuesAt(given)(row.path) !== undefined && !applies(row, valueAt),
  );
  if (idle !== undefined) {
    throw new WorkbenchError(
      'input-invalid',
      `${idle.label} applies only with ${idle.onlyWith?.text ?? ''}`,
      { where: idle.path, remedy: 'Leave it out, or add what it needs.' },
    );
  }
  if (load.sharedMemory === 'cuda' && tools.includes('native')) {
    throw new WorkbenchError(
      'combination-unsupported',
      'The built-in load generator has no CUDA shared memory',
      {
        where: 'performance.sharedMemory',
        remedy: 'Choose perf_analyzer, on a machine with a GPU.',
      },
    );
  }
}

/** Tensors in memory of this machine are not seen by a server on another one. Throws combination-unsupported. */
function checkSharedMemory({ sharedMemory }: PerformanceSpec, addresses: ServerLoad['addresses']): void {
  if (sharedMemory === 'none' || (isLoopback(addresses.http) && isLoopback(addresses.grpc))) return;
  const message = 'Shared memory does not work with a server on another machine';
  throw new WorkbenchError('combination-unsupported', message, {
    where: 'performance.sharedMemory',
    remedy: 'Leave it out, or measure on the machine of the server.',
  });
}

/** Throws input-invalid for more load than another machine gets; `where` is `limits.concurrency` or `limits.requestsPerSecond`. */
function checkRemoteLimits(
  levels: readonly LoadLevel[],
  addresses: ServerLoad['addresses'],
  limits: RemoteLimits,
): void {
  if (isLoopback(addresses.http) && isLoopback(addresses.grpc)) return;
  const over = overRemoteLimit(levels, limits);
  if (over === null) return;
  throw invalidInput(
    `limits.${over.limit}`,
    over.message,
    'Send less; or, where its owner agrees, raise the limit.',
  );
}

/** What the load generator on a host cannot do. Throws combination-unsupported. */
function checkHost(
  {
    host,
    models,
    headerNames = [],
    addresses,
    profileExportFile,
  }: Omit<WantedLoad, 'given' | 'inTurns' | 'limits' | 'precision'>,
  { sharedMemory }: PerformanceSpec,
): void {
  if (host === undefined) return;
  const refused = (where: string, message: string, remedy: string) =>
    new WorkbenchError('combination-unsupported', message, { where, remedy });
  if (!isLoopback(addresses.http) || !isLoopback(addresses.grpc)) {
    const remedy =
      'Give its address as that machine sees it, for example 127.0.0.1:8000; measure another server without a host.';
    throw refused('url', 'A host measures the Triton on itself', remedy);
  }
  if (models.length > 1) {
    throw refused('models', 'A host measures one model at a time', 'Measure the models one after the other.');
  }
  if (headerNames.length > 0) {
    const remedy = 'Measure from this machine: values of headers are not written to another one.';
    throw refused('header', 'A load generator on a host is not given headers', remedy);
  }
  if (addresses.httpTls !== null || addresses.grpcTls !== null) {
    const remedy = 'Give the addresses of Triton on that machine, for example http://127.0.0.1:8000.';
    throw refused('url', 'A load generator on a host speaks no TLS', remedy);
  }
  if (profileExportFile !== undefined) {
    const remedy = 'Leave it out, or measure from this machine.';
    throw refused('profileExportFile', 'A load generator on a host keeps no single requests', remedy);
  }
  if (sharedMemory !== 'none') {
    const remedy = 'Leave it out, or measure a run with --host.';
    throw refused(
      'performance.sharedMemory',
      'A load generator in a container of its own shares no memory with that Triton',
      remedy,
    );
  }
}

/** What is to be measured, where nothing was worked out yet. */
interface WantedLoad extends Pick<
  ServerLoad,
  | 'addresses'
  | 'host'
  | 'models'
  | 'modelVersion'
  | 'sources'
  | 'shapes'
  | 'headerNames'
  | 'strings'
  | 'metricsIntervalMs'
  | 'analyzerArguments'
  | 'profileExportFile'
> {
  /** Fields of the load that were chosen, as a part of a specification: `{performance: {...}}`. */
  readonly given: Tree;
  /** Levels may be measured in turns. */
  readonly inTurns: boolean;
  /** Of a binary search, in levels. */
  readonly precision?: number;
  /** Of a server on another machine. */
  readonly limits: RemoteLimits;
}

/**
 * The whole load of a server: defaults, levels and the way that they are measured. Throws input-invalid and
 * combination-unsupported, whose `where` is the path of a field.
 */
export function planServerLoad({ given, inTurns, limits, precision = 1, ...what }: WantedLoad): ServerLoad {
  const isGiven = (name: string) => getAt(given, ['performance', name]) !== undefined;
  const load = readLoad(given);
  const rounds = readRounds(load, isGiven('repeats'));
  checkTogether(load, rounds.tools, given);
  checkHost(what, load);
  checkSharedMemory(load, what.addresses);
  const { sequences, requestIntervalsUs: intervalsUs } = load;
  const levels = readLevels({
    batchSizes: load.batchSizes,
    concurrency: isGiven('concurrency') ? load.concurrency : undefined,
    requestRates: load.requestRates,
    intervalsUs,
    sequencesAtOnce: sequences?.concurrent,
  });
  const [few] = levels.flatMap((level) => tooFewRequests(level, load.requestCount, rounds.tools) ?? []);
  if (few !== undefined) {
    throw invalidInput(
      'performance.requestCount',
      few,
      'Raise it, or leave it out to measure windows until they are steady.',
    );
  }
  checkRemoteLimits(levels, what.addresses, limits);
  const onceEach = rounds.tools.length === 1 && rounds.search === null && rounds.repeats === 1;
  return {
    ...rounds,
    search: rounds.search === null || precision === 1 ? rounds.search : { ...rounds.search, precision },
    ...what,
    inTurns:
      inTurns &&
      // Who says how many windows a level may take wants each to be steady; a sequence is not to be cut for other levels.
      !performanceFields.some(
        ({ path, wholeLevels = false }) => wholeLevels && valuesAt(given)(path) !== undefined,
      ) &&
      what.models.length === 1 &&
      // In a container a level is measured as a whole.
      what.host === undefined &&
      levels.length > 1 &&
      onceEach,
    protocol: load.protocol,
    levels,
    settings: load,
    byIntervals: intervalsUs.length > 0,
  };
}
