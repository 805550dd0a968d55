import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import { hostNameSchema } from '../host/host-name';
import { loadTools, performanceSchema, type PerformanceSpec, protocols } from './run-spec';

const positive = z.int().min(1);

/** A level may be one window here, and perf_analyzer's 0 % is taken. */
export const serverSettingsSchema = performanceSchema.extend({
  maxTrials: positive,
  stabilityPercentage: z.number().min(0),
});

const levelSchema = z.strictObject({
  batchSize: positive,
  concurrency: positive,
  requestRate: z.number().positive().optional(),
});

/** A `LoadLevel`. */
type Level = Readonly<z.infer<typeof levelSchema>>;

/** What is to be measured on a Triton that is there already, and how. */
export const serverLoadSchema = z.strictObject({
  /** Where the server is reached; `host:port` of both interfaces. */
  addresses: z.strictObject({
    http: z.string(),
    grpc: z.string(),
    /** null: in the clear. */
    httpTls: tlsFilesSchema.nullable(),
    grpcTls: tlsFilesSchema.nullable(),
    /** Of Triton's metrics, in the clear; null: it is not known. */
    metrics: z.strictObject({ address: z.string(), path: z.string() }).nullable(),
  }),
  /** Of the list of hosts: it sees the addresses, and the load is made there, in a container. Absent: this machine does. */
  host: hostNameSchema.optional(),
  protocol: z.enum(protocols),
  /** `weight`: of the level's concurrency or request rate so many times as much. */
  models: z
    .array(z.strictObject({ name: z.string().min(1), weight: z.number().positive() }))
    .min(1)
    .readonly(),
  /** '' lets the server choose. */
  modelVersion: z.string(),
  /** `random`, `zero` or a path; `NAME=source` for that model only. */
  sources: z.array(z.string()).readonly(),
  /** Dimensions by input name where the model's are dynamic. */
  shapes: z.record(z.string(), z.array(z.int().min(0)).readonly()),
  /** Strings that are generated: so many characters each, or this one; absent: random ones of the usual length. */
  strings: z.strictObject({ length: positive.optional(), data: z.string().optional() }).optional(),
  /** How often the server's metrics are read, milliseconds; absent: once a second. */
  metricsIntervalMs: z.number().positive().optional(),
  /** What perf_analyzer is given besides, where it measures. */
  analyzerArguments: z.array(z.string()).readonly().optional(),
  /** Where single requests go, as perf_analyzer exports them; absent: they are not kept. */
  profileExportFile: z.string().optional(),
  settings: serverSettingsSchema,
  /** A window of each level in turn, as often as a level has windows, where the load tool can. */
  inTurns: z.boolean(),
  /** Requests go out by a list of intervals. */
  byIntervals: z.boolean(),
  levels: z.array(levelSchema).min(1).readonly(),
  /** Rounds over all levels: A B A B. A search measures once. */
  repeats: positive,
  /** One, or both of a cross-check. */
  tools: z.tuple([z.enum(loadTools)], z.enum(loadTools)).readonly(),
  /** Names of headers that went with every request; their values, which may be secrets, are not kept. */
  headerNames: z.array(z.string()).readonly().optional(),
  /** For the last level whose p99 is within a budget; null: all levels are measured. */
  search: z
    .strictObject({
      kind: z.enum(['linear', 'binary']),
      thresholdUs: z.number().positive(),
      /** A binary search ends where the last level within and the first beyond are so many levels apart; absent: neighbors. */
      precision: z.number().positive().optional(),
    })
    .nullable(),
});
export type ServerLoad = z.infer<typeof serverLoadSchema>;

/** "resnet50", "resnet50 and bert". */
export const servedModels = ({ models }: Pick<ServerLoad, 'models'>): string =>
  models.map(({ name }) => name).join(' and ');

/** The same as a name: "resnet50-and-bert". */
export function servedName(load: Pick<ServerLoad, 'models'>): string {
  const name = servedModels(load)
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64);
  return name === '' ? 'model' : name;
}

/** "localhost:8000", "127.0.0.1:8000 on gpu1". */
export const measuredServer = ({ addresses, host }: Pick<ServerLoad, 'addresses' | 'host'>): string =>
  host === undefined ? addresses.http : `${addresses.http} on ${host}`;

/** "Measured on a running Triton: resnet50 at localhost:8000." */
export const measuredOnText = (load: Pick<ServerLoad, 'models' | 'addresses' | 'host'>): string =>
  `Measured on a running Triton: ${servedModels(load)} at ${measuredServer(load)}.${
    load.host === undefined ? '' : ' The load generator ran on that host, in a container.'
  }`;

const generated: ReadonlySet<string> = new Set(['random', 'zero']);

/** Files and folders that measuring reads: values to send, and what TLS needs. */
export function pathsOfLoad({ sources, addresses, models }: ServerLoad): readonly string[] {
  const files = [addresses.httpTls, addresses.grpcTls].flatMap((tls) =>
    tls === null ? [] : [tls.caFile, tls.certFile, tls.keyFile].filter((file) => file !== undefined),
  );
  const values = sources
    .map((source) => {
      const of = models.find(({ name }) => source.startsWith(`${name}=`));
      return of === undefined ? source : source.slice(of.name.length + 1);
    })
    .filter((source) => !generated.has(source));
  return [...new Set([...files, ...values])];
}

/** One request at a time at several batch sizes is the offline sweep. */
export function scenarioOfLevels(levels: readonly Level[]): 'offline' | 'online' {
  const single = levels.every(
    ({ concurrency, requestRate }) => concurrency === 1 && requestRate === undefined,
  );
  return single && new Set(levels.map(({ batchSize }) => batchSize)).size > 1 ? 'offline' : 'online';
}

/** What is sent, as a run says it; of several models of the first. */
function inputOf({ sources: [first = 'random'] }: ServerLoad): PerformanceSpec['inputData'] {
  return first === 'random' || first === 'zero' ? first : 'file';
}

/** How a server is measured, in the words of a specification; what is searched for only the load itself says. */
export function performanceOfLoad(load: ServerLoad): PerformanceSpec {
  const { levels, settings, repeats, protocol, tools } = load;
  const closed = levels.filter(({ requestRate }) => requestRate === undefined);
  const concurrency = [...new Set(closed.map((level) => level.concurrency))];
  return {
    ...settings,
    inputData: inputOf(load),
    loadTool: tools[0],
    crossCheck: tools.length > 1,
    ...(load.inTurns ? { inTurns: true } : {}),
    repeats,
    protocol,
    search: 'none',
    latencyThresholdMs: 0,
    batchSizes: [...new Set(levels.map(({ batchSize }) => batchSize))],
    onlineBatchSize: levels[0]?.batchSize ?? 1,
    concurrency: concurrency.length === 0 ? [1] : concurrency,
    requestRates: [...new Set(levels.flatMap(({ requestRate }) => requestRate ?? []))],
  };
}

/** "http://localhost:8000". */
export const serverUrl = ({ addresses }: Pick<ServerLoad, 'addresses'>): string =>
  `${addresses.httpTls === null ? 'http' : 'https'}://${addresses.http}`;
