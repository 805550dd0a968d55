import { isLoopback, parseRemoteUrl } from '../../contract/address';
import { baseDefaults, valuesAt } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import { endpoints, isOpenai, protocolOfEndpoint } from '../../contract/load/generation';
import { defaultRemoteLimits, type RemoteLimits } from '../../contract/load/remote-limits';
import type { MeasureRequest } from '../../contract/run/measure-request';
import {
  type PerformanceSpec,
  type Protocol,
  protocols,
  type Replay,
  type ReplayRead,
} from '../../contract/run/run-spec';
import { serverDefaults, type ServerLoad, serverSettingsSchema } from '../../contract/run/server-load';
import { fewestRounds, type LoadLevel, scenarioLevels, toolsOf } from '../../contract/run/sweep';
import { treeOf } from '../../contract/run/upstream-variables';
import { getAt, mergeTrees, present, setAt, type Tree } from '../../contract/trees';
import { withoutUntypedWarmup } from './arrival-rules';
import { gatewayOf } from './gateway';
import { withEndpoint } from './generation-rules';
import { type LoadedModel, requireLoad } from './load-rules';
import { problem, type RuleFinding } from './rule-finding';
import { serverLoadFindings } from './server-rules';

export const serverBase: Tree = [
  ...Object.entries(serverDefaults).map(([path, value]) => treeOf(path, value)),
  { performance: { concurrency: [1], onlineBatchSize: 1 } },
].reduce<Tree>(mergeTrees, baseDefaults);

/** Each batch size with each concurrency or request rate; a concurrency beside a rate limits requests in flight. */
const levelsOf = (load: PerformanceSpec, mostUnderWay: number | undefined): readonly LoadLevel[] =>
  load.batchSizes.flatMap((onlineBatchSize) =>
    scenarioLevels({ ...load, onlineBatchSize, search: 'none' }, 'online').map((level) =>
      level.requestRate === undefined ? level : { ...level, concurrency: mostUnderWay ?? level.concurrency },
    ),
  );

/** Of a trace each of several models has its own share. */
function sharesOf(
  { models }: Pick<ServerLoad, 'models'>,
  { replay }: PerformanceSpec,
): Pick<ServerLoad, 'models'> {
  const counts = replay?.read?.models ?? {};
  const all = replay?.read?.requests ?? 1;
  const weight = (name: string, given: number) => {
    const own = counts[name];
    return own === undefined ? given : own / all;
  };
  return { models: models.map((model) => ({ ...model, weight: weight(model.name, model.weight) })) };
}

function weightFindings(
  { models }: Pick<ServerLoad, 'models'>,
  { replay }: PerformanceSpec,
): readonly RuleFinding[] {
  if (replay === undefined || models.every(({ weight }) => weight === 1)) return [];
  return [
    problem(
      'models',
      'A replayed trace does not support weights',
      'The trace names the model of each request: give the models without a weight.',
    ),
  ];
}

/** null: all levels are measured. */
function searchOf(
  { search, latencyThresholdMs, stages, sliceDurationS }: PerformanceSpec,
  {
    addresses,
    limits,
    holdEdgeS,
    precision = 1,
  }: Pick<WantedLoad, 'addresses' | 'limits' | 'holdEdgeS' | 'precision'>,
): ServerLoad['search'] {
  const thresholdUs = latencyThresholdMs * 1000;
  if (thresholdUs === 0) return null;
  // There it says what a good request is.
  if (search === 'none' && (stages ?? sliceDurationS) !== undefined && holdEdgeS === undefined) return null;
  if (holdEdgeS !== undefined) {
    const mostRate = isLoopback(addresses.http)
      ? mostRateHere
      : (limits.requestsPerSecond ?? defaultRemoteLimits.requestsPerSecond);
    return { kind: 'edge', thresholdUs, mostRate };
  }
  const kind = search === 'none' ? 'linear' : search;
  return { kind, thresholdUs, ...(precision === 1 ? {} : { precision }) };
}

/** A load before its levels are derived. */
interface WantedLoad extends Omit<
  ServerLoad,
  'settings' | 'protocol' | 'levels' | 'repeats' | 'tools' | 'search' | 'byIntervals'
> {
  readonly given: Tree;
  /** Of a binary search, in levels. */
  readonly precision?: number;
  /** Of a server on another machine. */
  readonly limits: RemoteLimits;
  /** Seconds at the highest rate within the threshold, which a ramp finds; absent: no ramp. */
  readonly holdEdgeS?: number;
}

/** A ramp begins low where no rate is given. */
const firstRate = 10;
/** More than that no client sends on this machine. */
const mostRateHere = 1e6;

/** In so many windows a level is steady. */
const holdWindows = 3;

/** The given fields with those of a ramp. */
function withRamp(given: Tree, holdEdgeS: number | undefined): Tree {
  if (holdEdgeS === undefined) return given;
  const usual = {
    ...{ requestRates: [firstRate], requestDistribution: 'poisson', maxTrials: holdWindows },
    measurementIntervalMs: Math.round((1000 * holdEdgeS) / holdWindows),
  };
  return mergeTrees({ performance: usual }, given);
}

/** Looks at a gateway in turns with the server are short. */
function withLooks(given: Tree, via: ServerLoad['via']): Tree {
  if (via === undefined) return given;
  return mergeTrees({ performance: { measurementIntervalMs: 500, warmupMs: 150 } }, given);
}

/** Throws nothing: what a ramp cannot be combined with. */
function rampFindings(
  { settings, tools }: ServerLoad,
  holdEdgeS: number | undefined,
): readonly RuleFinding[] {
  if (holdEdgeS === undefined) return [];
  const { requestRates, requestIntervalsUs, replay, stages, search, repeats, batchSizes } = settings;
  const found: readonly (readonly [boolean, string, string, string])[] = [
    [
      settings.latencyThresholdMs === 0,
      'performance.latencyThresholdMs',
      'The edge needs a latency threshold',
      'Set the highest p99 in milliseconds, for example 20.',
    ],
    [
      search !== 'none',
      'performance.search',
      'The edge is searched for by a ramp of rates',
      'Leave the search out.',
    ],
    [
      requestRates.length > 1 || requestIntervalsUs.length > 0 || (replay ?? stages) !== undefined,
      'performance.requestRates',
      'A ramp begins at one rate',
      'Give one rate to begin with, or none.',
    ],
    [
      repeats > 1 || tools.length > 1 || batchSizes.length > 1,
      'performance.repeats',
      'The edge is measured once, at one batch size, with one load tool',
      'Leave repeats, the cross-check and further batch sizes out.',
    ],
  ];
  return found.flatMap(([is, where, message, remedy]) => (is ? [problem(where, message, remedy)] : []));
}

/** On this machine two ports above HTTP, like Triton's 8000 and 8002; unknown elsewhere. */
export function metricsBeside({ http, secure }: ReturnType<typeof parseRemoteUrl>) {
  const [host = '', port = ''] = http.split(/:(?=\d+$)/);
  return isLoopback(http) && !secure ? { address: `${host}:${Number(port) + 2}`, path: '/metrics' } : null;
}

/** An OpenAI frontend has its metrics at the same port, and of a Triton beside it nothing is known. */
export const metricsOfFrontend = ({
  http,
  httpTls,
}: Pick<ServerLoad['addresses'], 'http' | 'httpTls'>): ServerLoad['addresses']['metrics'] =>
  httpTls === null && isLoopback(http) ? { address: http, path: '/metrics' } : null;

const endpointIn = (performance: MeasureRequest['performance']) =>
  endpoints.find((name) => name === getAt(performance, ['generation', 'endpoint']));

/** A way in to a language model has a protocol of its own. */
export function protocolIn(performance: MeasureRequest['performance']): Protocol {
  const endpoint = endpointIn(performance);
  if (endpoint !== undefined) return protocolOfEndpoint(endpoint);
  return protocols.find((name) => name === performance['protocol']) ?? 'grpc';
}

/** From a request of the window. Throws input-invalid for an invalid address. */
export function wantedLoad(request: MeasureRequest): WantedLoad {
  const { url, tls = {}, host, headers = [], model, modelVersion, shapes, performance, via } = request;
  const server = parseRemoteUrl(url);
  const { http, grpc, secure } = server;
  const files = secure ? tls : null;
  const endpoint = endpointIn(performance);
  const isFrontend = endpoint !== undefined && isOpenai(endpoint);
  const metrics = isFrontend ? metricsOfFrontend({ http, httpTls: files }) : metricsBeside(server);
  return {
    addresses: { http, grpc, httpTls: files, grpcTls: files, metrics },
    ...(host === undefined ? {} : { host }),
    ...(via === undefined ? {} : { via: gatewayOf(via, protocolIn(performance), tls) }),
    models: [{ name: model, weight: 1 }],
    modelVersion,
    shapes,
    sources: [],
    given: { performance },
    inTurns: true,
    limits: {},
    ...(headers.length === 0 ? {} : { headerNames: headers.map(({ name: header }) => header) }),
  };
}

/**
 * Completes a server's load with defaults and levels, and its findings. Never throws.
 * @param model absent: unknown
 * @returns `load` is null where fields are invalid
 */
export function readServerLoad(
  wanted: WantedLoad,
  model?: LoadedModel,
): { readonly load: ServerLoad | null; readonly findings: readonly RuleFinding[] } {
  const { given: asked, inTurns, limits, precision, holdEdgeS, ...what } = wanted;
  const given = withLooks(withRamp(asked, holdEdgeS), what.via);
  const isGiven = (path: string) => valuesAt(given)(path) !== undefined;
  const tree = withEndpoint(withoutUntypedWarmup(mergeTrees(serverBase, given), given), given);
  const { data: settings, error } = serverSettingsSchema.safeParse(tree['performance']);
  if (settings === undefined) {
    const findings = error.issues.map(({ path, message }) =>
      problem(['performance', ...path].join('.'), message, null),
    );
    return { load: null, findings };
  }
  const tools = toolsOf(settings);
  const search = searchOf(settings, {
    addresses: what.addresses,
    limits,
    ...present({ precision, holdEdgeS }),
  });
  const { crossCheck, protocol, requestIntervalsUs } = settings;
  const repeats = crossCheck && !isGiven('performance.repeats') ? fewestRounds : settings.repeats;
  const isLimited = isGiven('performance.concurrency');
  const levels = levelsOf(settings, isLimited ? settings.concurrency[0] : undefined);
  const load: ServerLoad = {
    ...what,
    ...sharesOf(what, settings),
    repeats,
    tools,
    protocol,
    levels,
    settings,
    search,
    byIntervals: requestIntervalsUs.length > 0,
    inTurns:
      inTurns &&
      // Explicit window settings want each level steady, and sequences must not be interrupted by other levels.
      !performanceFields.some(({ path, wholeLevels = false }) => wholeLevels && isGiven(path)) &&
      what.models.length === 1 &&
      // A container measures levels as a whole, and a level is in turns with the gateway.
      what.host === undefined &&
      what.via === undefined &&
      levels.length > 1 &&
      tools.length === 1 &&
      search === null &&
      repeats === 1,
  };
  const findings = [
    ...rampFindings(load, holdEdgeS),
    ...weightFindings(what, settings),
    ...serverLoadFindings(load, { limits, given: asked, model }),
  ];
  return { load, findings };
}

/** Of a trace, the file and the part that is sent, for these models. */
type ReplayPart = Omit<Replay, 'read' | 'speed'> & { readonly models: readonly string[] };

/** As {@link planServerLoad}, with what its trace has, where it replays one. Throws also what `read` throws. */
export async function planReplayedLoad(
  wanted: WantedLoad,
  read: (part: ReplayPart) => Promise<ReplayRead>,
): Promise<ServerLoad> {
  const load = planServerLoad(wanted);
  const { replay } = load.settings;
  if (replay === undefined) return load;
  const { file, fromS, toS } = replay;
  const found = await read({ file, fromS, toS, models: load.models.map(({ name }) => name) });
  const given = setAt(wanted.given, ['performance', 'replay', 'read'], found);
  return planServerLoad({ ...wanted, given });
}

/** As {@link readServerLoad}. Throws input-invalid and combination-unsupported; `where` is a field path. */
export function planServerLoad(wanted: WantedLoad): ServerLoad {
  const { load, findings } = readServerLoad(wanted);
  requireLoad(findings);
  // Without findings there is a load.
  return load as ServerLoad;
}
