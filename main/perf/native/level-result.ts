import type { LoadPoint, MeasurementWindow } from '../../contract/results';
import type { LoadLevel } from '../load-tool';
import { percentileOf } from '../percentile';
import { mergeDeltas, serverColumns } from '../server-columns';
import type { ServerDelta } from '../server-columns';
import { blockInterval } from '../throughput-interval';
import { isSteady, stabilityWindows } from '../stability';
import type { FailureCount, RecordedWindow } from './worker-messages';

/** Above this share of failed requests the level is flagged (contract). */
const errorShareLimit = 0.01;
/** A thread that is busy for more of the time than this delays what it measures. */
const saturatedShare = 0.9;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** To nanoseconds: what lies below is noise of the floating point. */
const roundUs = (us: number): number => Math.round(us * 1000) / 1000;

export const failureCount = (failures: readonly FailureCount[]): number =>
  sum(failures.map((failure) => failure.count));

/** A window as it is told and kept; sorts the latencies in place. */
export function summarizeWindow(window: RecordedWindow, batchSize: number): MeasurementWindow {
  const sorted = window.latenciesUs.sort();
  const count = sorted.length;
  return {
    durationUs: roundUs(window.durationUs),
    requestCount: count,
    errorCount: failureCount(window.failures),
    inferencesPerSecond: (count * batchSize * 1e6) / window.durationUs,
    avgUs: count === 0 ? 0 : roundUs(sorted.reduce((total, value) => total + value, 0) / count),
    p50Us: count === 0 ? null : roundUs(percentileOf(sorted, 50)),
    p99Us: count === 0 ? null : roundUs(percentileOf(sorted, 99)),
  };
}

export interface MeasuredWindow {
  readonly recorded: RecordedWindow;
  readonly summary: MeasurementWindow;
  /** null: the server's counters went back within the window. */
  readonly server: ServerDelta | null;
}

function mergedLatencies(windows: readonly RecordedWindow[]): Float64Array {
  const merged = new Float64Array(sum(windows.map((window) => window.latenciesUs.length)));
  let at = 0;
  for (const window of windows) {
    merged.set(window.latenciesUs, at);
    at += window.latenciesUs.length;
  }
  return merged.sort();
}

/**
 * The level's point: the last three windows merged as perf_analyzer does (performance.md 1.4, 1.7).
 * @returns null when no request succeeded in them.
 */
export function levelResult(
  windows: readonly MeasuredWindow[],
  level: LoadLevel,
  settings: { readonly stabilityPercentage: number },
): Omit<LoadPoint, 'loadTool' | 'protocol' | 'elapsedUs'> | null {
  const last = windows.slice(-stabilityWindows);
  const recorded = last.map((window) => window.recorded);
  const latencies = mergedLatencies(recorded);
  const count = latencies.length;
  if (count === 0) return null;
  const stable = isSteady(
    windows.map((window) => window.summary),
    settings.stabilityPercentage,
  );
  const errorCount = sum(last.map((window) => window.summary.errorCount));
  const durationUs = sum(recorded.map((window) => window.durationUs));
  const busyUs = sum(recorded.map((window) => window.loopUtilization * window.durationUs));
  const avgUs = latencies.reduce((total, value) => total + value, 0) / count;
  const sendUs = sum(recorded.map((window) => window.sendSumUs)) / count;
  const recvUs = sum(recorded.map((window) => window.recvSumUs)) / count;
  const deltas = last.flatMap((window) => (window.server === null ? [] : [window.server]));
  const server = serverColumns(mergeDeltas(deltas));
  const blocks = recorded.flatMap((window) =>
    window.blockCounts.map((blockCount) => (blockCount * level.batchSize * 1e6) / window.blockUs),
  );
  const flags: LoadPoint['flags'] = [
    ...(stable ? [] : (['unstable'] as const)),
    ...(errorCount > errorShareLimit * (count + errorCount) ? (['errors'] as const) : []),
    ...(busyUs > saturatedShare * durationUs ? (['client-saturated'] as const) : []),
    ...(windows.some((window) => window.server === null) ? (['server-restarted'] as const) : []),
  ];
  return {
    batchSize: level.batchSize,
    concurrency: level.concurrency,
    inferencesPerSecond: (count * level.batchSize * 1e6) / durationUs,
    clientSendUs: roundUs(sendUs),
    networkServerSendRecvUs: roundUs(Math.max(0, avgUs - sendUs - recvUs - server.knownUs)),
    serverQueueUs: roundUs(server.queueUs),
    serverComputeInputUs: roundUs(server.computeInputUs),
    serverComputeInferUs: roundUs(server.computeInferUs),
    serverComputeOutputUs: roundUs(server.computeOutputUs),
    clientRecvUs: roundUs(recvUs),
    p50Us: roundUs(percentileOf(latencies, 50)),
    p90Us: roundUs(percentileOf(latencies, 90)),
    p95Us: roundUs(percentileOf(latencies, 95)),
    p99Us: roundUs(percentileOf(latencies, 99)),
    avgUs: roundUs(avgUs),
    requestCount: count,
    errorCount,
    stable,
    flags,
    meanServerBatch: server.meanServerBatch,
    throughputIntervalIps: blockInterval(blocks),
    windows: windows.map((window) => window.summary),
  };
}
