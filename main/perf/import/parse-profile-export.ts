import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import { mostUnderWay } from '../../contract/run/sweep';
import { shortText } from '../../platform/lines';
import { isSteady, percentileOf, stabilityWindows } from '../intervals';
import type { Capture, CaptureOptions } from './parse-capture-csv';
import { type ProfileExperiment, readProfileDocument, refusedProfile as refused } from './profile-document';

const usBetween = (fromNs: bigint, toNs: bigint): number => Number(toNs - fromNs) / 1000;

interface Answered {
  readonly endNs: bigint;
  readonly latencyUs: number;
}

/** From send to last response. Throws input-invalid for a response before its request. */
function answeredOf({ requests }: ProfileExperiment, where: string): readonly Answered[] {
  return requests.flatMap(({ sentNs, lastResponseNs: endNs }, index) => {
    if (endNs === null) return [];
    if (endNs < sentNs)
      throw refused('The response is older than its request', `${where}.requests[${index}]`);
    return [{ endNs, latencyUs: usBetween(sentNs, endNs) }];
  });
}

/** Assigns requests to the window in which they ended, in one pass. */
function windowsOf(
  bounds: readonly bigint[],
  answered: readonly Answered[],
  batchSize: number,
): readonly MeasurementWindow[] {
  const [first = 0n] = bounds;
  const byEnd = [...answered].sort((a, b) => (a.endNs < b.endNs ? -1 : a.endNs > b.endNs ? 1 : 0));
  let next = byEnd.findIndex((one) => one.endNs >= first);
  if (next < 0) next = byEnd.length;
  return bounds.slice(1).map((endNs, index) => {
    const startNs = bounds[index] ?? first;
    const last = index === bounds.length - 2;
    const from = next;
    for (let one = byEnd[next]; one !== undefined; one = byEnd[next]) {
      if (one.endNs > endNs || (one.endNs === endNs && !last)) break;
      next += 1;
    }
    const inside = byEnd
      .slice(from, next)
      .map((one) => one.latencyUs)
      .sort((a, b) => a - b);
    const durationUs = usBetween(startNs, endNs);
    return {
      durationUs,
      startUs: usBetween(first, startNs),
      requestCount: inside.length,
      errorCount: 0,
      inferencesPerSecond: (inside.length * batchSize * 1e6) / durationUs,
      avgUs: inside.length === 0 ? 0 : inside.reduce((sum, us) => sum + us, 0) / inside.length,
      p50Us: inside.length === 0 ? null : percentileOf(inside, 50),
      p99Us: inside.length === 0 ? null : percentileOf(inside, 99),
    };
  });
}

/** Default of perf_analyzer and the workbench. */
const stabilityPercentage = 10;

const modes = ['concurrency', 'request_rate', 'custom', 'custom_intervals'];

function assertLoad({ mode, value }: ProfileExperiment, where: string): void {
  if (!modes.includes(mode))
    throw refused(`"${shortText(mode)}" is not a perf_analyzer mode`, `${where}.experiment.mode`);
  if (mode === 'concurrency' ? !Number.isSafeInteger(value) || value < 1 : !(value > 0)) {
    throw refused(`${value} is not a load`, `${where}.experiment.value`);
  }
}

function pointOf(experiment: ProfileExperiment, where: string, { batchSize }: CaptureOptions): LoadPoint {
  assertLoad(experiment, where);
  const { value } = experiment;
  const byConcurrency = experiment.mode === 'concurrency';
  const answered = answeredOf(experiment, where);
  const bounds = experiment.windowBoundaries;
  const unordered = bounds.findIndex((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound));
  if (unordered > 0) {
    throw refused('The boundaries of the windows do not ascend', `${where}.window_boundaries[${unordered}]`);
  }
  // perf_analyzer exports all windows, but merges the last three.
  const measured = bounds.slice(-1 - stabilityWindows);
  const windows = windowsOf(bounds, answered, batchSize);
  const [firstNs] = measured;
  const lastNs = bounds.at(-1);
  const windowed = firstNs !== undefined && lastNs !== undefined && bounds.length > 1;
  const counted = windowed ? answered.filter(({ endNs }) => endNs >= firstNs && endNs <= lastNs) : answered;
  const sorted = counted.map((one) => one.latencyUs).sort((a, b) => a - b);
  if (sorted.length === 0) throw refused('No request was answered', `${where}.requests`);
  const sentNs = experiment.requests.map((request) => request.sentNs);
  const startNs = windowed ? firstNs : sentNs.reduce((least, ns) => (ns < least ? ns : least));
  const endNs = windowed
    ? lastNs
    : counted.reduce((most, one) => (one.endNs > most ? one.endNs : most), startNs);
  const durationUs = usBetween(startNs, endNs);
  const unknown = {
    clientSendUs: null,
    networkServerSendRecvUs: null,
    serverQueueUs: null,
    serverComputeInputUs: null,
    serverComputeInferUs: null,
    serverComputeOutputUs: null,
    clientRecvUs: null,
  };
  return {
    batchSize,
    concurrency: byConcurrency ? value : mostUnderWay,
    ...(byConcurrency ? {} : { requestRate: value }),
    inferencesPerSecond: (sorted.length * batchSize * 1e6) / durationUs,
    ...unknown,
    p50Us: percentileOf(sorted, 50),
    p90Us: percentileOf(sorted, 90),
    p95Us: percentileOf(sorted, 95),
    p99Us: percentileOf(sorted, 99),
    avgUs: sorted.reduce((sum, us) => sum + us, 0) / sorted.length,
    requestCount: sorted.length,
    errorCount: experiment.requests.length - answered.length,
    // The file lacks stability: both tools' default decides. A level measured by request count has one window.
    stable: windows.length < stabilityWindows || isSteady(windows, stabilityPercentage),
    flags: [],
    loadTool: 'perf_analyzer',
    protocol: null,
    meanServerBatch: null,
    throughputIntervalIps: null,
    windows: [...windows],
    elapsedUs: windowed ? usBetween(bounds[0] ?? firstNs, lastNs) : durationUs,
  };
}

/**
 * Parses perf_analyzer's profile export. Percentiles follow its rule from single requests, each counted in the window
 * of its last response. Server columns are null. Throws input-invalid with the field.
 */
export function parseProfileExport(text: string, options: CaptureOptions): Capture {
  const { fileName } = options;
  const experiments = readProfileDocument(text, fileName);
  const points: LoadPoint[] = [];
  const seen = new Set<string>();
  for (const [index, experiment] of experiments.entries()) {
    const where = `${fileName}, experiments[${index}]`;
    const { mode, value } = experiment;
    const load = `${mode} ${value}`;
    if (seen.has(load)) throw refused(`${load} appears twice`, `${where}.experiment`);
    seen.add(load);
    points.push(pointOf(experiment, where, options));
  }
  const unwindowed = experiments.filter(({ windowBoundaries }) => windowBoundaries.length < 2).length;
  return {
    points,
    notes: [
      'The file has no client and server columns: percentiles and throughput are computed from its individual requests.',
      ...(unwindowed === 0
        ? []
        : [
            `${unwindowed} experiments have no windows: their time is from the first request to the last response.`,
          ]),
    ],
  };
}
