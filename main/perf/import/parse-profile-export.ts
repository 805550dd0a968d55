import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import type { LoadPoint, MeasurementWindow } from '../../contract/results';
import { mostUnderWay } from '../../contract/scenario-levels';
import { percentileOf } from '../percentile';
import { isSteady, stabilityWindows } from '../stability';
import type { Capture, CaptureOptions } from './parse-capture-csv';

/** Nanoseconds since 1970 are beyond the whole numbers that JSON.parse keeps exactly: they come as text. */
const nanoseconds = z
  .union([z.string().regex(/^\d+$/, 'a count of nanoseconds'), z.int().min(0)])
  .transform((value) => BigInt(value));

const experimentSchema = z.object({
  experiment: z.object({ mode: z.string(), value: z.number() }),
  requests: z.array(z.object({ timestamp: nanoseconds, response_timestamps: z.array(nanoseconds) })),
  window_boundaries: z.array(nanoseconds).optional(),
});
const exportSchema = z.object({ experiments: z.array(experimentSchema).min(1) });
type Experiment = z.infer<typeof experimentSchema>;

const refused = (message: string, where: string) =>
  new WorkbenchError('input-invalid', message, {
    where,
    remedy: 'Give a file as perf_analyzer writes it with --profile-export-file.',
  });

/**
 * Whole numbers of 16 digits and more as text; what stands in a text stays as it is. A text that is not closed ends with the
 * file: the search never starts again within it.
 */
const exactNumbers = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\(?:.|$))*(?:"|$)|(?<![\d.eE+-])\d{16,}(?![\d.eE])/gs, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );

function parseJson(text: string, fileName: string): unknown {
  try {
    return JSON.parse(exactNumbers(text)) as unknown;
  } catch (cause) {
    throw refused(`This is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, fileName);
  }
}

const usBetween = (fromNs: bigint, toNs: bigint): number => Number(toNs - fromNs) / 1000;

interface Answered {
  readonly endNs: bigint;
  readonly latencyUs: number;
}

/** From the send to the last response. Throws input-invalid for a response before its request. */
function answeredOf({ requests }: Experiment, where: string): readonly Answered[] {
  return requests.flatMap(({ timestamp, response_timestamps: responses }, index) => {
    const endNs = responses.at(-1);
    if (endNs === undefined) return [];
    if (endNs < timestamp)
      throw refused('The response is older than its request', `${where}.requests[${index}]`);
    return [{ endNs, latencyUs: usBetween(timestamp, endNs) }];
  });
}

/** The windows that the boundaries make; a request belongs to the one in which it ended. Every request is looked at once. */
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

/** Default of perf_analyzer and of the workbench. */
const stabilityPercentage = 10;

const modes = ['concurrency', 'request_rate', 'custom', 'custom_intervals'];

function pointOf(experiment: Experiment, where: string, { batchSize }: CaptureOptions): LoadPoint {
  const { mode, value } = experiment.experiment;
  const byConcurrency = mode === 'concurrency';
  if (!modes.includes(mode))
    throw refused(`"${mode}" is no mode of perf_analyzer`, `${where}.experiment.mode`);
  if (byConcurrency ? !Number.isSafeInteger(value) || value < 1 : !(value > 0)) {
    throw refused(`${value} is no load`, `${where}.experiment.value`);
  }
  const answered = answeredOf(experiment, where);
  const bounds = experiment.window_boundaries ?? [];
  const unordered = bounds.findIndex((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound));
  if (unordered > 0) {
    throw refused('The boundaries of the windows do not ascend', `${where}.window_boundaries[${unordered}]`);
  }
  // perf_analyzer exports every window and makes its own row of the last three.
  const measured = bounds.slice(-1 - stabilityWindows);
  const windows = windowsOf(bounds, answered, batchSize);
  const [firstNs] = measured;
  const lastNs = bounds.at(-1);
  const windowed = firstNs !== undefined && lastNs !== undefined && bounds.length > 1;
  const counted = windowed ? answered.filter(({ endNs }) => endNs >= firstNs && endNs <= lastNs) : answered;
  const sorted = counted.map((one) => one.latencyUs).sort((a, b) => a - b);
  if (sorted.length === 0) throw refused('No request was answered', `${where}.requests`);
  const sentNs = experiment.requests.map(({ timestamp }) => timestamp);
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
    // The file says neither whether it was found steady nor within what: by the default of both tools. A level that was
    // measured by its number of requests has one window.
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

function refusedField(error: z.ZodError, fileName: string): WorkbenchError {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  return refused(
    `This is not as perf_analyzer writes it: ${issue?.message ?? 'unknown'}`,
    `${fileName}, ${path.join('').replace(/^\./, '') || 'the whole file'}`,
  );
}

/**
 * Every experiment of a profile export of perf_analyzer, percentiles by its rule from the single requests; a request is
 * counted in the window in which its last response came. There are no columns of client and server in such a file. Pure.
 * Throws input-invalid with the field.
 */
export function parseProfileExport(text: string, options: CaptureOptions): Capture {
  const { fileName } = options;
  const parsed = exportSchema.safeParse(parseJson(text, fileName));
  if (!parsed.success) throw refusedField(parsed.error, fileName);
  const points: LoadPoint[] = [];
  const seen = new Set<string>();
  for (const [index, experiment] of parsed.data.experiments.entries()) {
    const where = `${fileName}, experiments[${index}]`;
    const { mode, value } = experiment.experiment;
    const load = `${mode} ${value}`;
    if (seen.has(load)) throw refused(`${load} is there twice`, `${where}.experiment`);
    seen.add(load);
    points.push(pointOf(experiment, where, options));
  }
  const unwindowed = parsed.data.experiments.filter(
    ({ window_boundaries: bounds = [] }) => bounds.length < 2,
  ).length;
  return {
    points,
    notes: [
      'The file has no columns of client and server: percentiles and throughput are computed from its single requests.',
      ...(unwindowed === 0
        ? []
        : [
            `${unwindowed} experiments have no windows: their time is from the first request to the last response.`,
          ]),
    ],
  };
}
