import type { WireError } from '../../../contract/errors';
import type { PartLatencies } from '../../intervals';
import type { HistogramData } from '../../latency-histogram';
import type { OutputCheckCounts, SharedChecks } from './transport';

export interface FailureCount {
  readonly kind: string;
  readonly count: number;
  /** The server's words at the first of them. */
  readonly message: string;
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
}

export type FromWorker =
  /** The time of the warm-up, or of a window, is over: to be answered with `cut`, by its number from 1. */
  | { readonly type: 'bound'; readonly bound: number }
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
