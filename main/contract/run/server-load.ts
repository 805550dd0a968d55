import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import { hostNameSchema } from '../host/host-name';
import { later } from '../later';
import { loadTools, performanceSchema, type PerformanceSpec, protocols } from './run-spec';

const positive = z.int().min(1);

/** Here a level may be one window, and perf_analyzer's 0 % is valid. */
export const serverSettingsSchema = later(() =>
  performanceSchema.unwrap().extend({
    maxTrials: positive,
    stabilityPercentage: z.number().min(0),
  }),
);

const levelSchema = later(() =>
  z.strictObject({
    batchSize: positive,
    concurrency: positive,
    requestRate: z.number().positive().optional(),
  }),
);

type Level = Readonly<z.infer<typeof levelSchema>>;

export const serverLoadSchema = later(() =>
  z.strictObject({
    /** `host:port` of both interfaces. */
    addresses: z.strictObject({
      http: z.string(),
      grpc: z.string(),
      /** null: no TLS. */
      httpTls: tlsFilesSchema.nullable(),
      grpcTls: tlsFilesSchema.nullable(),
      /** Metrics without TLS; null: unknown. */
      metrics: z.strictObject({ address: z.string(), path: z.string() }).nullable(),
    }),
    /** A gateway that each level is also measured through, in turns: the address of the protocol; absent: none. */
    via: z.strictObject({ address: z.string(), tls: tlsFilesSchema.nullable() }).optional(),
    /** Host of the list that reaches the addresses and measures in a container; absent: this machine. */
    host: hostNameSchema.optional(),
    protocol: z.enum(protocols),
    /** `weight`: factor of the level's concurrency or request rate. */
    models: z
      .array(z.strictObject({ name: z.string().min(1), weight: z.number().positive() }))
      .min(1)
      .readonly(),
    /** '' lets the server choose. */
    modelVersion: z.string(),
    /** `random`, `zero` or a path; `NAME=source` for one model. */
    sources: z.array(z.string()).readonly(),
    /** By input name, where the model's dimensions are dynamic. */
    shapes: z.record(z.string(), z.array(z.int().min(0)).readonly()),
    /** Length in characters, or content, of generated strings; absent: random of the usual length. */
    strings: z.strictObject({ length: positive.optional(), data: z.string().optional() }).optional(),
    /** Of generated samples, where dimensions are dynamic: as asked for, and by sample; absent: one sample. */
    lengths: z
      .strictObject({ text: z.string(), drawn: z.array(positive).min(1).max(1000).readonly() })
      .optional(),
    /** Interval of reading the server's metrics, milliseconds; absent: one second. */
    metricsIntervalMs: z.number().positive().optional(),
    /** Further arguments of perf_analyzer. */
    analyzerArguments: z.array(z.string()).readonly().optional(),
    /** Export of single requests in perf_analyzer's form; absent: not kept. */
    profileExportFile: z.string().optional(),
    settings: serverSettingsSchema,
    /** A window of each level in turn, where the load tool can. */
    inTurns: z.boolean(),
    /** Requests are sent by a list of intervals. */
    byIntervals: z.boolean(),
    levels: z.array(levelSchema).min(1).readonly(),
    /** Rounds over all levels: A B A B. A search measures once. */
    repeats: positive,
    /** One, or both of a cross-check. */
    tools: z.tuple([z.enum(loadTools)], z.enum(loadTools)).readonly(),
    /** Sent with every request; values may be secrets and are not kept. */
    headerNames: z.array(z.string()).readonly().optional(),
    /** Searches the last level within a p99 budget; null: all levels. */
    search: z
      .discriminatedUnion('kind', [
        z.strictObject({
          kind: z.enum(['linear', 'binary']),
          thresholdUs: z.number().positive(),
          /** Largest distance of the last level within and the first beyond, in levels; absent: neighbors. */
          precision: z.number().positive().optional(),
        }),
        /** Raises the rate of the one level until the target fails, and measures just below. */
        z.strictObject({
          kind: z.literal('edge'),
          thresholdUs: z.number().positive(),
          /** Requests per second at most. */
          mostRate: z.number().positive(),
        }),
      ])
      .nullable(),
  }),
);
export type ServerLoad = z.infer<typeof serverLoadSchema>;

/** "resnet50", "resnet50 and bert". */
export const servedModels = ({ models }: Pick<ServerLoad, 'models'>): string =>
  models.map(({ name }) => name).join(' and ');

/** "resnet50-and-bert". */
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

/** "Measured on a running server: resnet50 at localhost:8000." */
export const measuredOnText = (load: Pick<ServerLoad, 'models' | 'addresses' | 'host'>): string =>
  `Measured on a running server: ${servedModels(load)} at ${measuredServer(load)}.${
    load.host === undefined ? '' : ' The load generator ran on that host, in a container.'
  }`;

/** "https://gateway:443"; null without a gateway. */
export const gatewayUrl = ({ via, protocol }: Pick<ServerLoad, 'via' | 'protocol'>): string | null =>
  via === undefined ? null : `${protocol}${via.tls === null ? '' : 's'}://${via.address}`;

const generated: ReadonlySet<string> = new Set(['random', 'zero']);

export function pathsOfLoad({ sources, addresses, models, settings, via }: ServerLoad): readonly string[] {
  const files = [addresses.httpTls, addresses.grpcTls, via?.tls ?? null].flatMap((tls) =>
    tls === null ? [] : [tls.caFile, tls.certFile, tls.keyFile].filter((file) => file !== undefined),
  );
  const values = sources
    .map((source) => {
      const of = models.find(({ name }) => source.startsWith(`${name}=`));
      return of === undefined ? source : source.slice(of.name.length + 1);
    })
    .filter((source) => !generated.has(source));
  const { replay, generation } = settings;
  const read = [replay?.file, generation?.promptsFile, generation?.tokenizerFile].filter(
    (file) => file !== undefined,
  );
  return [...new Set([...files, ...values, ...read])];
}

/** One request at a time at several batch sizes is the offline sweep. */
export function scenarioOfLevels(levels: readonly Level[]): 'offline' | 'online' {
  const single = levels.every(
    ({ concurrency, requestRate }) => concurrency === 1 && requestRate === undefined,
  );
  return single && new Set(levels.map(({ batchSize }) => batchSize)).size > 1 ? 'offline' : 'online';
}

/** Of several models the first one's. */
function inputOf({ sources: [first = 'random'] }: ServerLoad): PerformanceSpec['inputData'] {
  return first === 'random' || first === 'zero' ? first : 'file';
}

/** The load in the fields of a specification; a search is only in the load. */
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

/** Replaces a run's defaults: somebody waits for a server's measurement. */
export const serverDefaults: Readonly<Record<string, unknown>> = {
  'performance.measurementIntervalMs': 2000,
};
