import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import { later } from '../later';
import { runIdPattern } from '../opened';
import { serverLoadSchema } from '../run/server-load';
import { ownSubjects } from './own-subjects';
import type { ServedPlace } from './search';

const positive = z.int().min(1);
const ms = z.number().min(0);
const known = z.number().min(0).nullable();

/**
 * `server`: Triton's own process. `stub`: a Python stub, of all instances of its model. `other`: what else the server
 * started. `machine`: all of its machine, where its processes cannot be read. `client`: the process that sends the load.
 */
export const soakRoles = ['server', 'stub', 'other', 'machine', 'client'] as const;
export type SoakRole = (typeof soakRoles)[number];

/** What is read of a process; null: not known. Bytes, or counts. */
export const soakFigures = ['rss', 'pss', 'virtual', 'shm', 'gpu', 'threads', 'handles'] as const;
export type SoakFigure = (typeof soakFigures)[number];

const readingSchema = later(() =>
  z.object({
    role: z.enum(soakRoles),
    /** Of a Python stub. */
    model: z.string().optional(),
    /** Processes that are added up. */
    count: z.int().min(0),
    rss: known,
    pss: known,
    virtual: known,
    /** Files in /dev/shm that it has mapped. */
    shm: known,
    gpu: known,
    threads: known,
    handles: known,
  }),
);
/** One process, or several of one kind, at one time. */
export type SoakReading = Readonly<z.infer<typeof readingSchema>>;

const spanSchema = z.object({
  /** Of the soak, pauses not counted, milliseconds. */
  fromMs: ms,
  toMs: ms,
  /** Which start of the server, from 1: memory of different ones is not compared. */
  life: positive,
});

/** Medians of the readings of some time. */
const blockSchema = spanSchema.extend({
  /** Answered so far, as Triton counts them; null: not known. */
  requests: known,
  /** Unloads and loads so far. */
  reloads: z.int().min(0),
  readings: z.array(readingSchema),
});
export type SoakBlock = Readonly<z.infer<typeof blockSchema>>;

/** What the load came to in some time. */
const sliceSchema = spanSchema.extend({
  requests: z.int().min(0),
  errors: z.int().min(0),
  /** Full queue, timeout in the queue, cancelled; absent: none. */
  refused: z.int().min(0).optional(),
  inferencesPerSecond: z.number().min(0),
  p50Us: known,
  p99Us: known,
});
export type SoakSlice = Readonly<z.infer<typeof sliceSchema>>;

export const soakBodies = () =>
  [
    z.object({ type: z.literal('soak-block'), block: blockSchema }),
    z.object({ type: z.literal('soak-slice'), slice: sliceSchema }),
  ] as const;

/** What a journal has of a soak. */
export interface Soaked {
  readonly blocks: readonly SoakBlock[];
  readonly slices: readonly SoakSlice[];
}

const levelSchema = later(() =>
  z.union([
    z.strictObject({ batchSize: positive, concurrency: positive }),
    z.strictObject({ batchSize: positive, requestRate: z.number().positive() }),
  ]),
);
export type SoakLevel = Readonly<z.infer<typeof levelSchema>>;

const runId = z.string().regex(runIdPattern);

const subjectSchema = later(() =>
  z.discriminatedUnion('kind', [
    ...ownSubjects(),
    /** A Triton of others. */
    z.strictObject({ kind: z.literal('server'), load: serverLoadSchema }),
  ]),
);
export type SoakSubject = Readonly<z.infer<typeof subjectSchema>>;

/** Sends the same load for hours and reads whose memory grows. */
export const soakStrategySchema = later(() =>
  z.object({
    kind: z.literal('soak'),
    subject: subjectSchema,
    /** How it is called in sentences. */
    title: z.string(),
    level: levelSchema,
    /** How long there is load, pauses not counted. */
    forMs: positive,
    /** Between two readings; of the readings that make a block; of a slice of the load. */
    readMs: positive,
    blockMs: positive,
    sliceMs: positive,
    /** Unload and load the model each time so long; absent: never. */
    reloadMs: positive.optional(),
    /** "rss-slope>1MB/h" */
    criteria: z.array(z.string()).max(16),
  }),
);
export type SoakStrategy = Readonly<z.infer<typeof soakStrategySchema>>;

/** Load of a request: a share of what the run held, requests per second, or requests under way. */
const askedLoadSchema = later(() =>
  z.union([
    z.strictObject({ share: z.number().positive().max(2) }),
    z.strictObject({ requestRate: z.number().positive().max(1e6) }),
    z.strictObject({ concurrency: positive.max(4096) }),
  ]),
);
export type AskedSoakLoad = Readonly<z.infer<typeof askedLoadSchema>>;

/** What a person asks for. */
export const soakRequestSchema = later(() =>
  z.strictObject({
    of: z.union([
      z.strictObject({ runId }),
      z.strictObject({ deployment: z.string(), model: z.string().optional() }),
      z.strictObject({
        url: z.string().min(1).max(2000),
        tls: tlsFilesSchema.optional(),
        model: z.string().min(1).max(256),
        version: z.string().max(32).optional(),
        shapes: z.record(z.string().max(256), z.array(positive).max(16)).optional(),
        protocol: z.enum(['http', 'grpc']).optional(),
      }),
    ]),
    /** Absent: by date and time. */
    name: z.string().optional(),
    forMs: positive.max(30 * 24 * 3_600_000),
    load: askedLoadSchema.optional(),
    batchSize: positive.optional(),
    /** Requests between two unloads, or milliseconds. */
    reloadEvery: z
      .union([z.strictObject({ requests: positive }), z.strictObject({ ms: positive })])
      .optional(),
    /** Between two readings; absent: 5 s, less of a short soak. */
    readMs: positive.min(100).optional(),
    criteria: z.array(z.string().max(64)).max(16).optional(),
  }),
);
export type SoakRequest = Readonly<z.infer<typeof soakRequestSchema>>;

/** A soak for its page. */
export interface SoakDetail {
  readonly soak: SoakStrategy;
  readonly soaked: Soaked;
  readonly place: ServedPlace | null;
}
