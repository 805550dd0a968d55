import { isLoopback, parseRemoteUrl } from '../../contract/address';
import { baseDefaults, valuesAt } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import type { MeasureRequest } from '../../contract/run/measure-request';
import type { RemoteLimits } from '../../contract/run/remote-limits';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { type ServerLoad, serverSettingsSchema } from '../../contract/run/server-load';
import { type LoadLevel, scenarioLevels, toolsOf } from '../../contract/run/sweep';
import { treeOf } from '../../contract/run/upstream-variables';
import { getAt, mergeTrees, setAt, type Tree } from '../../contract/trees';
import { fewestRounds } from '../measured/cross-check';
import { type LoadedModel, requireLoad } from './load-rules';
import { problem, type RuleFinding } from './rule-finding';
import { serverLoadFindings } from './server-rules';

/** What a server's load has in place of a run's default: it is started by somebody who waits. */
export const serverDefaults: Readonly<Record<string, unknown>> = {
  'performance.measurementIntervalMs': 2000,
};

/** Defaults of a server's load, as a part of a specification. */
export const serverBase: Tree = [
  ...Object.entries(serverDefaults).map(([path, value]) => treeOf(path, value)),
  { performance: { concurrency: [1], onlineBatchSize: 1 } },
].reduce<Tree>(mergeTrees, baseDefaults);

/** Each batch size with each concurrency, or with each request rate; a concurrency beside a rate is the most requests under way. */
const levelsOf = (load: PerformanceSpec, mostUnderWay: number | undefined): readonly LoadLevel[] =>
  load.batchSizes.flatMap((onlineBatchSize) =>
    scenarioLevels({ ...load, onlineBatchSize, search: 'none' }, 'online').map((level) =>
      level.requestRate === undefined ? level : { ...level, concurrency: mostUnderWay ?? level.concurrency },
    ),
  );

/** Who says how many requests there are wants no others that nobody asked for. @param tree a part of a specification */
export function withoutUntypedWarmup(tree: Tree, given: Tree): Tree {
  const counts = ['requestCount', 'warmupRequestCount'].map((name) => getAt(tree, ['performance', name]));
  const isCounted = counts.some((count) => typeof count === 'number' && count > 0);
  const path = ['performance', 'warmupMs'];
  return isCounted && getAt(given, path) === undefined ? setAt(tree, path, 0) : tree;
}

/** null: all levels are measured. */
function searchOf({ search, latencyThresholdMs }: PerformanceSpec): ServerLoad['search'] {
  return latencyThresholdMs === 0
    ? null
    : { kind: search === 'none' ? 'linear' : search, thresholdUs: latencyThresholdMs * 1000 };
}

/** What is to be measured, where nothing was worked out yet. */
interface WantedLoad extends Omit<
  ServerLoad,
  'settings' | 'protocol' | 'levels' | 'repeats' | 'tools' | 'search' | 'byIntervals'
> {
  /** Fields of the load that were chosen, as a part of a specification: `{performance: {...}}`. */
  readonly given: Tree;
  /** Of a binary search, in levels. */
  readonly precision?: number;
  /** Of a server on another machine. */
  readonly limits: RemoteLimits;
}

/** Two ports above HTTP on this machine, as Triton's defaults 8000 and 8002 are; elsewhere nobody knows. */
export function metricsBeside({ http, secure }: ReturnType<typeof parseRemoteUrl>) {
  const [host = '', port = ''] = http.split(/:(?=\d+$)/);
  return isLoopback(http) && !secure ? { address: `${host}:${Number(port) + 2}`, path: '/metrics' } : null;
}

/** A request of the window. Throws input-invalid for an address that is none. */
export function wantedLoad(request: MeasureRequest): WantedLoad {
  const { url, tls = {}, host, headers = [], model, modelVersion, shapes, performance } = request;
  const server = parseRemoteUrl(url);
  const { http, grpc, secure } = server;
  const files = secure ? tls : null;
  return {
    addresses: { http, grpc, httpTls: files, grpcTls: files, metrics: metricsBeside(server) },
    ...(host === undefined ? {} : { host }),
    models: [{ name: model, weight: 1 }],
    ...{ modelVersion, shapes, sources: [], given: { performance }, inTurns: true, limits: {} },
    ...(headers.length === 0 ? {} : { headerNames: headers.map(({ name: header }) => header) }),
  };
}

/**
 * The whole load of a server: defaults, levels and the way that they are measured, and what it cannot be. Never throws.
 * @param model what is known of it; absent: nothing
 * @returns `load` is null where fields have values that they cannot have
 */
export function readServerLoad(
  wanted: WantedLoad,
  model?: LoadedModel,
): { readonly load: ServerLoad | null; readonly findings: readonly RuleFinding[] } {
  const { given, inTurns, limits, precision = 1, ...what } = wanted;
  const isGiven = (path: string) => valuesAt(given)(path) !== undefined;
  const tree = withoutUntypedWarmup(mergeTrees(serverBase, given), given);
  const { data: settings, error } = serverSettingsSchema.safeParse(tree['performance']);
  if (settings === undefined) {
    const findings = error.issues.map(({ path, message }) =>
      problem(['performance', ...path].join('.'), message, null),
    );
    return { load: null, findings };
  }
  const tools = toolsOf(settings);
  const search = searchOf(settings);
  const { crossCheck, protocol, requestIntervalsUs } = settings;
  const repeats = crossCheck && !isGiven('performance.repeats') ? fewestRounds : settings.repeats;
  const isLimited = isGiven('performance.concurrency');
  const levels = levelsOf(settings, isLimited ? settings.concurrency[0] : undefined);
  const load: ServerLoad = {
    ...what,
    ...{ repeats, tools, protocol, levels, settings },
    search: search === null || precision === 1 ? search : { ...search, precision },
    byIntervals: requestIntervalsUs.length > 0,
    inTurns:
      inTurns &&
      // Who says how many windows a level may take wants each to be steady; a sequence is not to be cut for other levels.
      !performanceFields.some(({ path, wholeLevels = false }) => wholeLevels && isGiven(path)) &&
      what.models.length === 1 &&
      // In a container a level is measured as a whole.
      what.host === undefined &&
      levels.length > 1 &&
      tools.length === 1 &&
      search === null &&
      repeats === 1,
  };
  return { load, findings: serverLoadFindings(load, { limits, given, model }) };
}

/** As {@link readServerLoad}. Throws input-invalid and combination-unsupported, whose `where` is the path of a field. */
export function planServerLoad(wanted: WantedLoad): ServerLoad {
  const { load, findings } = readServerLoad(wanted);
  requireLoad(findings);
  // Without a finding there is a load.
  return load as ServerLoad;
}
