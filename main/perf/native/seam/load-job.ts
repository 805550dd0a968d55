import type { RequestHeader } from '../../../contract/address';
import { type WireError, WorkbenchError } from '../../../contract/errors';
import { datatypeBytes, isDatatype, type SampleDatatype } from '../../../contract/measured/input-data';
import type { PerformanceSpec, Protocol, SequenceSettings } from '../../../contract/run/run-spec';
import type { TlsMaterial } from '../../../triton/tls';
import type { PartLatencies } from '../../intervals';
import type { HistogramData } from '../../latency-histogram';
import type { ScheduleInput } from '../../request-schedule';
import type { Failure, FailureCount, OutputCheckCounts, SharedChecks } from './transport';

/** Of a reply whose length the model does not declare; gRPC bounds a message at 2 GiB, and this is half of it. */
export const largestReplyBytes = 2 ** 30;
/** Where it does: twice its outputs, and never less than this, which every error reply stays below. */
const leastLimitBytes = 64 * 2 ** 20;

const bytesText = (bytes: number) => `${bytes.toLocaleString('en-US')} bytes`;

/** A reply that is announced as longer than is read; nothing of it is kept. */
export class ReplyTooLarge extends Error {
  readonly kind = 'reply too large';

  constructor(announcedBytes: number, limitBytes: number) {
    super(
      `the server announces a reply of ${bytesText(announcedBytes)}; at most ${bytesText(limitBytes)} are read for ` +
        'what the model declares as its outputs',
    );
  }
}

/** What the outputs of a reply take as the model declares them; null: an axis or a data type has no fixed size. */
function declaredBytes({
  outputChecks,
  batched,
  batchSize,
}: Pick<LoadJob, 'outputChecks' | 'batched' | 'batchSize'>): number | null {
  if (outputChecks === null || (batched && outputChecks.anyBatch === true)) return null;
  let sum = 0;
  for (const { datatype, shape } of outputChecks.outputs) {
    if (!isDatatype(datatype)) return null;
    const whole = batched ? [batchSize, ...shape.slice(1)] : shape;
    if (whole.some((size) => size < 0)) return null;
    sum += whole.reduce((product, size) => product * size, datatypeBytes[datatype]);
  }
  return sum;
}

/** Bytes of a reply that are read at most. */
export function replyLimitBytes(job: Pick<LoadJob, 'outputChecks' | 'batched' | 'batchSize'>): number {
  const declared = declaredBytes(job);
  return declared === null ? largestReplyBytes : Math.max(leastLimitBytes, 2 * declared);
}

export interface JobTensor {
  readonly name: string;
  readonly datatype: SampleDatatype;
  /** One sample, without the batch dimension. */
  readonly shape: readonly number[];
  /** A sample's own, where they differ. */
  readonly shapes?: readonly (readonly number[])[];
  /** Raw little-endian bytes, one entry a sample. */
  readonly samples: readonly Uint8Array[];
}

/** An input of a request as it is named there, wherever its bytes are. */
export interface RequestInputHead {
  readonly name: string;
  readonly datatype: string;
  /** With the batch dimension where the model has one. */
  readonly shape: readonly number[];
}

/** An input that the input region holds. */
interface SharedTensor extends RequestInputHead {
  readonly offset: number;
  readonly bytes: number;
}

/** What the worker thread needs of the regions; a plain value. */
export interface SharedJob {
  readonly inputRegion: string;
  /** The inputs of the different requests, which are sent in turn. */
  readonly payloads: readonly (readonly SharedTensor[])[];
  readonly outputRegion: string;
  /** The output region's file, to read answers back. */
  readonly outputPath: string;
  readonly outputNames: readonly string[];
  /** Of each of them. */
  readonly outputDatatypes: readonly string[];
  /** Room of each output of a request. */
  readonly outputBytes: number;
  /**
   * Beginnings of the outputs of each payload, by payload and then output, as the server answered over the wire; fewer than
   * there are payloads where not all were asked for.
   */
  readonly references: readonly (readonly Uint8Array[])[];
  /** What is wrong with the answer over the wire to each of these payloads; null: nothing, or it was not looked at. */
  readonly referenceFaults: readonly (Failure | null)[];
}

/** What some of the responses are held against. */
export interface OutputCheckJob {
  /** As the model says; the batch dimension first where it has one, -1 where a dimension varies. */
  readonly outputs: readonly {
    readonly name: string;
    readonly datatype: string;
    readonly shape: readonly number[];
  }[];
  /** NaN and infinities count as wrong. */
  readonly finite: boolean;
  /** An answer of a decoupled model may have another number of items than its request. */
  readonly anyBatch?: boolean;
  /** What the samples are to be answered with; empty where that is not known. */
  readonly expected: readonly JobTensor[];
}

/** What a request names first. */
export type RequestTarget = Pick<LoadJob, 'modelName' | 'modelVersion' | 'headers'>;

/** Everything that the worker thread needs for one level; a plain value, it crosses threads. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly modelName: string;
  /** '' lets the server choose. */
  readonly modelVersion: string;
  /** Empty where the inputs are in shared memory. */
  readonly tensors: readonly JobTensor[];
  readonly batchSize: number;
  /** False: tensors have no batch dimension. */
  readonly batched: boolean;
  /** Requests under way; with a schedule the most that may be. */
  readonly concurrency: number;
  /** Open loop: requests go out when they are due. null: a closed loop. */
  readonly schedule: ScheduleInput | null;
  /** null: tensors go over the wire. */
  readonly shared: SharedJob | null;
  /** null: responses are only checked for their length. */
  readonly outputChecks: OutputCheckJob | null;
  /** null: requests have nothing to do with one another. */
  readonly sequences: SequenceSettings | null;
  /** Samples of each stream of the input data, one after the other: each is a sequence. Absent: there is one stream. */
  readonly streams?: readonly number[];
  /** Requests go over a stream a slot, and may have any number of answers. */
  readonly streaming: boolean;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  /** Go with every request. */
  readonly headers?: readonly RequestHeader[];
  /** Of no effect where a warm-up of so many requests is asked for. */
  readonly warmupMs: number;
  readonly warmupRequests?: number | undefined;
  readonly mode: PerformanceSpec['measurementMode'];
  readonly intervalMs: number;
  /** Requests that a window has at least, in mode count_windows. */
  readonly requestCount: number;
  /** The level has exactly so many, in one window; absent: windows. */
  readonly exactRequests?: number;
  /** The times of single requests are told with each window. */
  readonly keepsRequests?: boolean;
}

/** `host:port`, `[::1]:port`. Throws input-invalid. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new WorkbenchError('input-invalid', `"${address}" is not of the form host:port`);
  }
  return { host, port: Number(port) };
}

/** One window as the worker thread recorded it; times in microseconds. */
export interface RecordedWindow {
  readonly durationUs: number;
  /** Since the first window's start. */
  readonly startUs: number;
  /** Of the successful requests that ended in the window, from the send. */
  readonly latencies: HistogramData;
  /** The same requests, from the time at which they were due; null in a closed loop. */
  readonly scheduled: HistogramData | null;
  readonly delayedCount: number;
  readonly sendSumUs: number;
  readonly recvSumUs: number;
  readonly failures: readonly FailureCount[];
  /** Successful requests by equal parts of the window; a last part of less than half the length is none. */
  readonly blockCounts: readonly number[];
  readonly blockUs: number;
  /** Length of the last part, which the end of the window makes a little longer or shorter. */
  readonly lastBlockUs: number;
  /** Latencies of the same parts; null where a part had no request. */
  readonly blockLatencies: readonly (PartLatencies | null)[];
  /** Share of the time in which the thread's event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  /** p99 of the event loop's delay within the window. */
  readonly loopDelayP99Us: number;
  /** CPU time of the whole process, and the time between the two readings of it. */
  readonly cpuUs: number;
  readonly cpuSpanUs: number;
  readonly sequencesEnded: number;
  /** Of the same requests where each may have several answers; null else. */
  readonly answers: RecordedAnswers | null;
  /** The same requests one by one; absent where nobody asked for them. */
  readonly requests?: KeptRequests;
}

/** Answered requests one by one, in microseconds of the thread's clock. */
export interface KeptRequests {
  /** Where that clock began, since 1970. */
  readonly originUs: number;
  readonly startUs: number;
  readonly endUs: number;
  /** Of each request when it was sent, how many answers it had, and when each of them came. */
  readonly times: Float64Array;
}

export interface RecordedAnswers {
  /** From the send to the first answer with content. */
  readonly first: HistogramData;
  /** Between two answers with content to the same request. */
  readonly between: HistogramData;
  /** From the send to the final answer, with content or without. */
  readonly final: HistogramData;
  /** Answers with content. */
  readonly count: number;
  /** Of one request. */
  readonly fewest: number;
  readonly most: number;
}

/** Everything that was sent since the start, warm-up included. */
export interface LoadTotals {
  readonly succeeded: number;
  readonly failures: readonly FailureCount[];
  readonly checks: SharedChecks;
  readonly outputs: OutputCheckCounts;
  /** What is wrong with checked answers, by kind. */
  readonly faults: readonly FailureCount[];
}

export type FromWorker =
  /** The time of the warm-up, or of a window, is over: to be answered with `cut`, by its number from 1. */
  /** `answered`: nothing is under way, and so many of the level's requests were answered: the server has counted them, or is about to. */
  | { readonly type: 'bound'; readonly bound: number; readonly answered?: number }
  | { readonly type: 'window'; readonly window: RecordedWindow }
  /** The server does not know the shared memory any more; slots that found out wait for `repaired`. */
  | { readonly type: 'regions-lost' }
  /** All answers have come and the connections are closed. */
  | { readonly type: 'ended'; readonly totals: LoadTotals }
  | { readonly type: 'failed'; readonly error: WireError };

export type ToWorker =
  /** Lets the requests under way end and sends no others. */
  | { readonly type: 'stop' }
  /** The answer to `regions-lost`. */
  | { readonly type: 'repaired' }
  /** The answer to `bound`: how many of the level's requests the server has counted as successful; null: not known. */
  | { readonly type: 'cut'; readonly bound: number; readonly succeeded: number | null };
