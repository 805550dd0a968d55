import type { WireError } from '../../contract/errors';

export interface FailureCount {
  readonly kind: string;
  readonly count: number;
  /** The server's words at the first of them. */
  readonly message: string;
}

/** One window as the worker thread recorded it; times in microseconds. */
export interface RecordedWindow {
  readonly durationUs: number;
  /** Of the successful requests that ended in the window, in the order of their end. */
  readonly latenciesUs: Float64Array;
  readonly sendSumUs: number;
  readonly recvSumUs: number;
  readonly failures: readonly FailureCount[];
  /** Successful requests by equal parts of the window, the last part cut off where it is not whole. */
  readonly blockCounts: readonly number[];
  readonly blockUs: number;
  /** Share of the time in which the thread's event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
}

/** Everything that was sent since the start, warm-up included. */
export interface LoadTotals {
  readonly succeeded: number;
  readonly failures: readonly FailureCount[];
}

export type FromWorker =
  /** The warm-up is over and the first window has begun. */
  | { readonly type: 'warm' }
  | { readonly type: 'window'; readonly window: RecordedWindow }
  /** All answers have come and the connections are closed. */
  | { readonly type: 'ended'; readonly totals: LoadTotals }
  | { readonly type: 'failed'; readonly error: WireError };

/** Lets the requests under way end and sends no others. */
export interface ToWorker {
  readonly type: 'stop';
}
