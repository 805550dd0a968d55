import type { RequestHeader } from '../../../contract/address';
import { type WireError, WorkbenchError } from '../../../contract/errors';
import type { Endpoint } from '../../../contract/load/generation';
import { datatypeBytes, isDatatype, type SampleDatatype } from '../../../contract/measured/input-data';
import type { PerformanceSpec, Protocol, SequenceSettings } from '../../../contract/run/run-spec';
import type { ScheduleInput } from '../../../domain/arrivals/intervals';
import type { Outcomes } from '../../../domain/measured/overload/timeline';
import type { TlsMaterial } from '../../../triton/tls';
import type { PartLatencies } from '../../intervals';
import type { HistogramData } from '../../latency-histogram';
import type { Arrivals } from '../../replay/arrivals';
import type { RecordedTokens, TokenBudgets } from '../../token-recorder';
import type { ConnectionSums, Failure, FailureCount, OutputCheckCounts, SharedChecks } from './transport';

/** Limit for replies of undeclared length: half of gRPC's 2 GiB maximum. */
export const largestReplyBytes = 2 ** 30;
/** Minimum limit, above every error reply; otherwise twice the declared outputs. */
const leastLimitBytes = 64 * 2 ** 20;

const bytesText = (bytes: number) => `${bytes.toLocaleString('en-US')} bytes`;

/** A reply announced as longer than the limit. */
export class ReplyTooLarge extends Error {
  readonly kind = 'reply too large';

  constructor(announcedBytes: number, limitBytes: number) {
    super(
      `the server announces a reply of ${bytesText(announcedBytes)}; at most ${bytesText(limitBytes)} are read for ` +
        'what the model declares as its outputs',
    );
  }
}

/** Declared output bytes of a reply; null for variable sizes. */
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

export function replyLimitBytes(job: Pick<LoadJob, 'outputChecks' | 'batched' | 'batchSize'>): number {
  const declared = declaredBytes(job);
  return declared === null ? largestReplyBytes : Math.max(leastLimitBytes, 2 * declared);
}

export interface JobTensor {
  readonly name: string;
  readonly datatype: SampleDatatype;
  /** Without the batch dimension. */
  readonly shape: readonly number[];
  /** Shapes per sample, if they differ. */
  readonly shapes?: readonly (readonly number[])[];
  /** One value, which fills a shorter sample of a request along its first axis; absent: they must be of one shape. */
  readonly padding?: Uint8Array;
  /** Raw little-endian bytes per sample. */
  readonly samples: readonly Uint8Array[];
}

/** An input's description, without data. */
export interface RequestInputHead {
  readonly name: string;
  readonly datatype: string;
  /** With the batch dimension, if any. */
  readonly shape: readonly number[];
}

/** An input in the shared region. */
interface SharedTensor extends RequestInputHead {
  readonly offset: number;
  readonly bytes: number;
}

/** Regions for the worker thread; structured-cloneable. */
export interface SharedJob {
  readonly inputRegion: string;
  /** Inputs of the distinct requests. */
  readonly payloads: readonly (readonly SharedTensor[])[];
  readonly outputRegion: string;
  /** File of the output region, for checks. */
  readonly outputPath: string;
  readonly outputNames: readonly string[];
  /** Per output. */
  readonly outputDatatypes: readonly string[];
  /** Reserved bytes per output. */
  readonly outputBytes: number;
  /** Output prefixes by payload and output from responses over the network; may cover fewer payloads. */
  readonly references: readonly (readonly Uint8Array[])[];
  /** Problems of those responses; null: valid or not checked. */
  readonly referenceFaults: readonly (Failure | null)[];
}

/** Expectations for response checks. */
export interface OutputCheckJob {
  /** From the model; batch dimension first if any, -1 for variable dimensions. */
  readonly outputs: readonly {
    readonly name: string;
    readonly datatype: string;
    readonly shape: readonly number[];
  }[];
  /** NaN and infinity are errors. */
  readonly finite: boolean;
  /** Decoupled responses may have another batch size than the request. */
  readonly anyBatch?: boolean;
  /** Expected outputs of samples; empty if unknown. */
  readonly expected: readonly JobTensor[];
}

export type RequestTarget = Pick<LoadJob, 'modelName' | 'modelVersion' | 'headers'>;

/** Requests that the client cancels. */
export interface CancellationJob {
  /** Of all requests, 0 to 1. */
  readonly share: number;
  /** After the send. */
  readonly delayMs: number;
  readonly seed: number;
}

interface GenerationJob {
  readonly endpoint: Endpoint;
  readonly budgets: TokenBudgets;
  /** Windows keep the outputs whose tokens the server does not report. */
  readonly keepsTexts?: boolean | undefined;
}

/** Job of a worker thread; structured-cloneable. */
export interface LoadJob {
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly modelName: string;
  /** '' lets the server choose. */
  readonly modelVersion: string;
  /** Empty with shared memory. */
  readonly tensors: readonly JobTensor[];
  /** Items of a request; of a trace of the largest. */
  readonly batchSize: number;
  /** False: no batch dimension. */
  readonly batched: boolean;
  /** Active requests; in an open loop the maximum. */
  readonly concurrency: number;
  /** Open loop schedule; null: closed loop. */
  readonly schedule: ScheduleInput | null;
  /** The level's requests one by one, `exactRequests` of them; then `schedule` is that of the warm-up. */
  readonly replay?: Arrivals | undefined;
  /** Closed loop: the slots begin one after the other within this time. */
  readonly rampUpMs?: number | undefined;
  readonly cancellation?: CancellationJob | undefined;
  /** Windows keep what each request came to. */
  readonly keepsOutcomes?: boolean | undefined;
  /** null: tensors over the network. */
  readonly shared: SharedJob | null;
  /** null: only response lengths are checked. */
  readonly outputChecks: OutputCheckJob | null;
  /** null: independent requests. */
  readonly sequences: SequenceSettings | null;
  /** Samples per stream; each stream is a sequence. Absent: one stream. */
  readonly streams?: readonly number[];
  /** Any number of responses per request: one gRPC stream per slot, or HTTP requests of text. */
  readonly streaming: boolean;
  /** Of a language model: how it is asked, and what is recorded of its tokens. */
  readonly generation?: GenerationJob | undefined;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
  /** Go with every request. */
  readonly headers?: readonly RequestHeader[];
  /** Of HTTP: tensors as JSON, for servers without the extension for binary tensor data. */
  readonly json?: boolean | undefined;
  /** Of HTTP: requests are sent compressed, and such answers asked for; absent: neither. */
  readonly compression?: 'gzip' | 'deflate' | undefined;
  /** Of HTTP; absent: 1.1. */
  readonly httpVersion?: '1.1' | '2' | undefined;
  /** Ignored if a number of warm-up requests is set. */
  readonly warmupMs: number;
  readonly warmupRequests?: number | undefined;
  readonly mode: PerformanceSpec['measurementMode'];
  readonly intervalMs: number;
  /** Minimum requests per window, in mode count_windows. */
  readonly requestCount: number;
  /** Exact number of requests in a single window; absent: windows. */
  readonly exactRequests?: number;
  /** Windows include request times. */
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

/** A recorded window; times in microseconds. */
export interface RecordedWindow {
  readonly durationUs: number;
  /** Relative to the first window's start. */
  readonly startUs: number;
  /** Successful requests that ended in the window, from their send. */
  readonly latencies: HistogramData;
  /** From their due time; null in a closed loop. */
  readonly scheduled: HistogramData | null;
  readonly delayedCount: number;
  readonly sendSumUs: number;
  readonly recvSumUs: number;
  readonly failures: readonly FailureCount[];
  /** Successful requests in equal parts of the window; a remainder below half a part is dropped. */
  readonly blockCounts: readonly number[];
  readonly blockUs: number;
  /** Length of the last part, which ends with the window. */
  readonly lastBlockUs: number;
  /** Latencies of the same parts; null without requests. */
  readonly blockLatencies: readonly (PartLatencies | null)[];
  /** Event loop utilization, 0 to 1. */
  readonly loopUtilization: number;
  /** p99 of event loop delay. */
  readonly loopDelayP99Us: number;
  /** CPU time of the process, and the interval it covers. */
  readonly cpuUs: number;
  readonly cpuSpanUs: number;
  readonly sequencesEnded: number;
  /** Items of the successful requests; absent where all have the level's batch size. */
  readonly items?: number;
  /** Response times if there may be several per request; null otherwise. */
  readonly answers: RecordedAnswers | null;
  /** Of a language model, in place of `answers`. */
  readonly tokens?: RecordedTokens;
  /** Absent unless requested. */
  readonly requests?: KeptRequests;
  /** Absent unless requested. */
  readonly outcomes?: Outcomes;
  /** Ended early: more requests were due than the server answers. */
  readonly overSaturated?: boolean;
}

/** Times in microseconds of the thread's clock. */
export interface KeptRequests {
  /** The clock's origin since 1970. */
  readonly originUs: number;
  readonly startUs: number;
  readonly endUs: number;
  /** Per request: send time, number of responses, and time of each. */
  readonly times: Float64Array;
}

export interface RecordedAnswers {
  /** From send to the first non-empty response. */
  readonly first: HistogramData;
  /** Between non-empty responses to a request. */
  readonly between: HistogramData;
  /** From send to the final response. */
  readonly final: HistogramData;
  /** Non-empty responses. */
  readonly count: number;
  /** Minimum per request. */
  readonly fewest: number;
  readonly most: number;
}

/** Totals since the start, including warm-up. */
export interface LoadTotals {
  readonly succeeded: number;
  readonly failures: readonly FailureCount[];
  readonly checks: SharedChecks;
  readonly outputs: OutputCheckCounts;
  /** Problems of checked responses, by kind. */
  readonly faults: readonly FailureCount[];
  readonly opened: ConnectionSums;
}

export type FromWorker =
  /** A warm-up or window is over; answer with `cut` and its number, from 1. */
  /** `answered`: responses so far if no request is active; the server has counted them or is about to. */
  | { readonly type: 'bound'; readonly bound: number; readonly answered?: number }
  | { readonly type: 'window'; readonly window: RecordedWindow }
  /** The server lost the shared memory registration; slots wait for `repaired`. */
  | { readonly type: 'regions-lost' }
  /** All responses have arrived, and connections are closed. */
  | { readonly type: 'ended'; readonly totals: LoadTotals }
  | { readonly type: 'failed'; readonly error: WireError };

export type ToWorker =
  /** A level; another one may follow its end. */
  | { readonly type: 'begin'; readonly job: LoadJob }
  /** Finish active requests, and send no others. */
  | { readonly type: 'stop' }
  /** Reply to `regions-lost`. */
  | { readonly type: 'repaired' }
  /** Reply to `bound`: requests counted by the server as successful; null: unknown. */
  | { readonly type: 'cut'; readonly bound: number; readonly succeeded: number | null };
