import { z } from 'zod';
import { later } from '../later';

/** Where a request spends its time, in order. `other`: in the server, between these. */
export const tracePhases = ['receive', 'queue', 'input', 'infer', 'output', 'send', 'other'] as const;
export type TracePhase = (typeof tracePhases)[number];

export const phaseTitle: Readonly<Record<TracePhase, string>> = {
  receive: 'receive request',
  queue: 'queue',
  input: 'compute input',
  infer: 'compute infer',
  output: 'compute output',
  send: 'send response',
  other: 'other',
};

const partName = {
  /** A model that the requested one is made of or calls; null: the requested one. */
  model: z.string().nullable(),
  phase: z.enum(tracePhases),
};

const tracedPartSchema = later(() =>
  z.object({
    ...partName,
    /** Means per request. */
    medianUs: z.number().min(0),
    slowUs: z.number().min(0),
  }),
);
export type TracedPart = Readonly<z.infer<typeof tracedPartSchema>>;

/** Where traced requests of a model spent their time: the slowest beside those around the median. */
export const slowRequestsSchema = later(() =>
  z.object({
    model: z.string(),
    /** null: the trace does not state it. */
    protocol: z.enum(['http', 'grpc']).nullable(),
    requests: z.int().min(1),
    /** Without a beginning or an end in the trace, and not counted. */
    incomplete: z.int().min(0),
    medianCount: z.int().min(1),
    slowCount: z.int().min(1),
    /** Means of both groups. */
    medianUs: z.number().min(0),
    slowUs: z.number().min(0),
    /** In the order of a request. Parts of a group add up to its mean. */
    parts: z.array(tracedPartSchema),
    /** The slowest first. */
    slowest: z.array(
      z.object({
        requestId: z.string().nullable(),
        totalUs: z.number().min(0),
        longest: z.object({ ...partName, us: z.number().min(0) }),
      }),
    ),
  }),
);
export type SlowRequests = Readonly<z.infer<typeof slowRequestsSchema>>;
