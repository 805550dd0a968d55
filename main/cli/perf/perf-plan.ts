import { resolve } from 'node:path';
import { z } from 'zod';
import { isLoopback } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { applies, baseDefaults, valuesAt } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import { fewestRounds } from '../../contract/measured/cross-check';
import { overRemoteLimit } from '../../contract/run/remote-limits';
import { performanceSchema, type PerformanceSpec } from '../../contract/run/run-spec';
import type { LoadLevel } from '../../contract/run/scenario-levels';
import type { ServerLoad } from '../../contract/run/server-load';
import { toolsOf } from '../../contract/run/sweep';
import { treeOf } from '../../contract/run/upstream-variables';
import { getAt, mergeTrees, type Tree } from '../../contract/trees';
import { flagOf, perfDefaults, readFieldOptions } from '../field-options';
import { readNumber, readShapes } from '../read-values';
import { readAddresses, readLevels, readModelNames } from './perf-levels';
import type { PerfOptions } from './perf-options';

type Rounds = Pick<ServerLoad, 'repeats' | 'tools' | 'search'>;

/** A level may be one window here. */
const loadSchema = performanceSchema.extend({ maxTrials: z.int().min(1) });

/** What the options say, held against the same limits as a run. Throws input-invalid naming the option. */
function readLoad(given: Tree): PerformanceSpec {
  const usual = Object.entries(perfDefaults).map(([path, value]) => treeOf(path, value));
  const tree = [...usual, { performance: { concurrency: [1], onlineBatchSize: 1 } }, given].reduce<Tree>(
    mergeTrees,
    baseDefaults,
  );
  const { data, error } = loadSchema.safeParse(tree['performance']);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new WorkbenchError('input-invalid', issue?.message ?? 'not valid', {
    where: flagOf(['performance', ...(issue?.path ?? [])].join('.')),
  });
}

/** null: all levels are measured. Throws input-invalid. */
function readSearch({ search: kind, latencyThresholdMs }: PerformanceSpec): ServerLoad['search'] {
  if (kind === 'none' && latencyThresholdMs === 0) return null;
  if (latencyThresholdMs === 0) {
    throw new WorkbenchError('input-invalid', 'A search needs a latency threshold', {
      where: '--latency-threshold',
      remedy: 'Give the largest p99 in milliseconds, for example --latency-threshold 20.',
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
      where: '--cross-check',
      remedy: 'Cross-check levels: give --concurrency or --request-rate without a search.',
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
      { where: flagOf(idle.path), remedy: 'Leave it out, or add what it needs.' },
    );
  }
  if (load.sharedMemory === 'cuda' && tools.includes('native')) {
    throw new WorkbenchError(
      'combination-unsupported',
      'The built-in load generator has no CUDA shared memory',
      {
        where: '--shared-memory',
        remedy: 'Choose --load-tool perf_analyzer, on a machine with a GPU.',
      },
    );
  }
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

/** A run can be resumed from another folder. */
function absoluteSources(sources: readonly string[], models: readonly string[]): readonly string[] {
  const names = readModelNames(models).map(({ name }) => name);
  return sources.map((source) => {
    const name = names.find((one) => source.startsWith(`${one}=`));
    const path = name === undefined ? source : source.slice(name.length + 1);
    const whole = path === 'random' || path === 'zero' ? path : resolve(path);
    return name === undefined ? whole : `${name}=${whole}`;
  });
}

/** Throws input-invalid and combination-unsupported. */
export async function readPerfPlan(options: PerfOptions): Promise<ServerLoad> {
  const addresses = readAddresses(options);
  const given = await readFieldOptions(options, 'perf');
  const isGiven = (name: string) => getAt(given, ['performance', name]) !== undefined;
  const load = readLoad(given);
  const rounds = readRounds(load, isGiven('repeats'));
  checkTogether(load, rounds.tools, given);
  const { sequences, requestIntervalsUs: intervalsUs } = load;
  const levels = readLevels({
    batchSizes: load.batchSizes,
    concurrency: isGiven('concurrency') ? load.concurrency : undefined,
    requestRates: load.requestRates,
    intervalsUs,
    sequencesAtOnce: sequences?.concurrent,
  });
  checkRemoteLimits(levels, addresses, options);
  const onceEach = rounds.tools.length === 1 && rounds.search === null && rounds.repeats === 1;
  return {
    ...rounds,
    inTurns:
      options.inTurns &&
      // Who says how many windows a level may take wants each to be steady; a sequence is not to be cut for other levels.
      !performanceFields.some(
        ({ path, wholeLevels = false }) => wholeLevels && valuesAt(given)(path) !== undefined,
      ) &&
      options.model.length === 1 &&
      levels.length > 1 &&
      onceEach,
    addresses,
    protocol: load.protocol,
    models: readModelNames(options.model),
    modelVersion: options.modelVersion,
    sources: absoluteSources(options.inputData ?? [], options.model),
    shapes: readShapes(options.shape ?? []),
    levels,
    settings: load,
    byIntervals: intervalsUs.length > 0,
  };
}

type Told = Pick<ServerLoad, 'tools'> & {
  readonly settings: Pick<
    ServerLoad['settings'],
    'measurementMode' | 'measurementIntervalMs' | 'measurementRequestCount' | 'warmupMs'
  >;
};

/** What comes before the first window of a level. */
function warmupText({ tools, settings }: Told): string {
  if (!tools.includes('native')) return 'no warm-up (perf_analyzer has none)';
  const text = settings.warmupMs === 0 ? 'no warm-up' : `warm-up ${settings.warmupMs} ms, discarded`;
  return tools.includes('perf_analyzer') ? `${text} (perf_analyzer has none)` : text;
}

/** How each level is measured, in one line. */
export function planText(plan: Told): string {
  const { measurementMode, measurementIntervalMs, measurementRequestCount } = plan.settings;
  const windows =
    measurementMode === 'count_windows'
      ? `windows of ${measurementRequestCount} requests, at least one second each`
      : `windows of ${measurementIntervalMs} ms`;
  return `each level: ${warmupText(plan)}, then ${windows}`;
}
