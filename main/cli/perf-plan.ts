import { z } from 'zod';
import { fewestRounds } from '../contract/cross-check';
import { WorkbenchError } from '../contract/errors';
import { isLoopback } from '../contract/loopback';
import { toolsOf } from '../contract/measuring-order';
import { overRemoteLimit } from '../contract/remote-limits';
import {
  loadTools,
  measurementModes,
  performanceSchema,
  outputCheckKinds,
  protocols,
  requestDistributions,
  searches,
  sharedMemories,
} from '../contract/run-spec';
import type { LoadLevel } from '../contract/scenario-levels';
import type { ServerLoad } from '../core';
import { readAddresses } from './perf-addresses';
import { readSequences } from './perf-kind';
import { readLevels } from './perf-levels';
import type { PerfOptions } from './perf-options';
import { readModelNames } from './perf-models';
import { readNumber } from './read-spec';
import { readOneOf } from './read-one-of';
import { readShapes } from './read-shapes';

/** Windows of a level, where nothing is said. */
const mostTrials = '10';

type Rounds = Pick<ServerLoad, 'repeats' | 'tools' | 'search'>;

/** null: all levels are measured. Throws input-invalid. */
function readSearch(options: {
  readonly search: (typeof searches)[number];
  readonly latencyThreshold?: string | undefined;
}): ServerLoad['search'] {
  const { search: kind, latencyThreshold: threshold } = options;
  if (kind === 'none' && threshold === undefined) return null;
  if (threshold === undefined) {
    throw new WorkbenchError('input-invalid', 'A search needs the latency to stay below', {
      where: '--latency-threshold',
      remedy: 'Give the largest p99 in milliseconds, for example --latency-threshold 20.',
    });
  }
  return {
    kind: kind === 'none' ? 'linear' : kind,
    thresholdUs: readNumber('--latency-threshold', threshold) * 1000,
  };
}

/** How the levels are measured, by the options of rounds and tools. Throws input-invalid. */
function readRounds(options: PerfOptions): Rounds {
  const { crossCheck = false } = options;
  const loadTool = readOneOf('--load-tool', loadTools, options.loadTool);
  const repeats = readNumber('--repeats', options.repeats ?? String(crossCheck ? fewestRounds : 1));
  if (!Number.isSafeInteger(repeats) || repeats < 1) {
    throw new WorkbenchError('input-invalid', `"${repeats}" is no count of rounds`, { where: '--repeats' });
  }
  const search = readSearch({
    search: readOneOf('--search', searches, options.search),
    latencyThreshold: options.latencyThreshold,
  });
  if (crossCheck && search !== null) {
    throw new WorkbenchError('combination-unsupported', 'A search measures with one tool alone', {
      where: '--cross-check',
      remedy: 'Cross-check levels: give --concurrency or --request-rate without a search.',
    });
  }
  return { repeats, tools: toolsOf({ loadTool, crossCheck }), search };
}

const numbersSchema = performanceSchema
  .pick({
    measurementIntervalMs: true,
    measurementRequestCount: true,
    stabilityPercentage: true,
    warmupMs: true,
    outputSharedMemoryBytes: true,
    requestSeed: true,
  })
  // A level may be one window here.
  .extend({ maxTrials: z.int().min(1) });

const flagOf: Readonly<Record<string, string>> = { outputSharedMemoryBytes: '--output-shared-memory-size' };

/** Held against the same limits as those of a run. Throws input-invalid naming the option. */
function checkedSettings(settings: ServerLoad['settings']): ServerLoad['settings'] {
  const numbers = Object.fromEntries(
    Object.entries(settings).filter(([key]) => Object.hasOwn(numbersSchema.shape, key)),
  );
  const issue = numbersSchema.safeParse(numbers).error?.issues[0];
  if (issue === undefined) return settings;
  const field = String(issue.path[0]);
  throw new WorkbenchError('input-invalid', issue.message, {
    where: flagOf[field] ?? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  });
}

const limitFlags = {
  concurrency: '--remote-concurrency',
  requestsPerSecond: '--remote-request-rate',
} as const;

/** Throws input-invalid for more load than another machine gets. */
function checkRemoteLimits(
  levels: readonly LoadLevel[],
  addresses: ServerLoad['addresses'],
  options: PerfOptions,
): void {
  if (isLoopback(addresses.http) && isLoopback(addresses.grpc)) return;
  const { concurrency, requestsPerSecond } = limitFlags;
  const read = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : readNumber(flag, text);
  const over = overRemoteLimit(levels, {
    concurrency: read(concurrency, options.remoteConcurrency),
    requestsPerSecond: read(requestsPerSecond, options.remoteRequestRate),
  });
  if (over === null) return;
  throw new WorkbenchError('input-invalid', over.message, {
    where: limitFlags[over.limit],
    remedy: `Send less; or, where its owner agrees, raise it with ${limitFlags[over.limit]} N.`,
  });
}

/** Throws input-invalid and combination-unsupported. */
export async function readPerfPlan(options: PerfOptions): Promise<ServerLoad> {
  const addresses = readAddresses(options);
  const rounds = readRounds(options);
  const protocol = readOneOf('--protocol', protocols, options.protocol);
  const sequences = readSequences(options);
  const { levels, intervalsUs } = await readLevels({ ...options, sequencesAtOnce: sequences?.concurrent });
  checkRemoteLimits(levels, addresses, options);
  const settings = checkedSettings({
    measurementMode: readOneOf('--measurement-mode', measurementModes, options.measurementMode),
    measurementIntervalMs: readNumber('--measurement-interval-ms', options.measurementIntervalMs),
    measurementRequestCount: readNumber('--measurement-request-count', options.measurementRequestCount),
    stabilityPercentage: readNumber('--stability-percentage', options.stabilityPercentage),
    maxTrials: readNumber('--max-trials', options.maxTrials ?? mostTrials),
    warmupMs: readNumber('--warmup-ms', options.warmupMs),
    requestDistribution: readOneOf(
      '--request-distribution',
      requestDistributions,
      options.requestDistribution,
    ),
    ...(options.requestSeed === undefined
      ? {}
      : { requestSeed: readNumber('--request-seed', options.requestSeed) }),
    requestIntervalsUs: [...intervalsUs],
    checkOutputs: readOneOf('--check-outputs', outputCheckKinds, options.checkOutputs),
    sharedMemory: readOneOf('--shared-memory', sharedMemories, options.sharedMemory),
    outputSharedMemoryBytes: readNumber('--output-shared-memory-size', options.outputSharedMemorySize),
    sequences,
    streaming: options.streaming ?? false,
  });
  if (options.requestSeed !== undefined && settings.requestDistribution !== 'poisson') {
    throw new WorkbenchError('input-invalid', 'Even intervals have no seed', {
      where: '--request-seed',
      remedy: 'Add --request-distribution poisson.',
    });
  }
  if (settings.sharedMemory === 'cuda' && rounds.tools.includes('native')) {
    throw new WorkbenchError('combination-unsupported', 'The native generator has no CUDA shared memory', {
      where: '--shared-memory',
      remedy: 'Choose --load-tool perf_analyzer, on a machine with a GPU.',
    });
  }
  const onceEach = rounds.tools.length === 1 && rounds.search === null && rounds.repeats === 1;
  return {
    ...rounds,
    // Who says how many windows a level may take wants each to be steady; a sequence is not to be cut for other levels.
    inTurns:
      options.inTurns &&
      options.maxTrials === undefined &&
      sequences === undefined &&
      options.model.length === 1 &&
      levels.length > 1 &&
      onceEach,
    addresses,
    protocol,
    models: readModelNames(options.model),
    modelVersion: options.modelVersion,
    sources: options.inputData ?? [],
    shapes: readShapes(options.shape ?? []),
    levels,
    settings,
    byIntervals: intervalsUs.length > 0,
  };
}
