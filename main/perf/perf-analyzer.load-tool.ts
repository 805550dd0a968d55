import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { LoadPoint, MeasurementWindow } from '../contract/measured/results';
import { fileLimits } from '../contract/reader-limits';
import { present } from '../contract/trees';
import { levelText } from '../contract/words';
import { makeFolder } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { analyzerCommand } from './analyzer/analyzer-command';
import { analyzerFiles, analyzerTls, writeAnalyzerInput } from './analyzer/analyzer-input';
import {
  type AnalyzerRow,
  parseAnalyzerCsv,
  parseAnalyzerSummary,
  parseComposing,
  parsePass,
} from './analyzer/parse-analyzer-output';
import {
  analyzerFailure,
  cameOfStandstill,
  createCpuMarks,
  runAnalyzer,
  unsteadyExitCode,
} from './analyzer/run-analyzer';
import { partsInterval, stabilityWindows } from './intervals';
import type { LoadTool, MeasureInput } from './load-tool';
import { sequenceLengths } from './sequence-lengths';

interface PerfAnalyzerOptions {
  readonly binary: string;
  /** LD_LIBRARY_PATH of the binary. */
  readonly libraryPath: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Accepts any spread: perf_analyzer then writes the row of an unstable level. */
const anySpreadPercentage = 1e6;
/** perf_analyzer's windows exceed the interval by this factor. */
const windowFactor = 1.2;
const startUpMs = 60_000;
/** Limit for count windows, whose duration is unknown. */
const longestCountWindowMs = 300_000;

function silenceMs({ settings }: MeasureInput): number {
  return settings.measurementMode === 'time_windows'
    ? 2 * windowFactor * settings.measurementIntervalMs + startUpMs
    : 2 * longestCountWindowMs;
}

/** Throws load-tool-failed unless the row is for the requested level. */
function checkLoad({ level, settings }: MeasureInput, row: AnalyzerRow, details: string): void {
  const wanted =
    level.requestRate === undefined
      ? ({ kind: 'concurrency', name: 'concurrency', load: level.concurrency } as const)
      : ({ kind: 'requestRate', name: 'request rate', load: level.requestRate } as const);
  // For custom schedules perf_analyzer reports the rounded mean interval.
  const exact = (settings.requestIntervalsUs ?? []).length === 0;
  if (row.loadKind === wanted.kind && (!exact || Math.abs(row.load - wanted.load) <= 1e-3 * wanted.load))
    return;
  throw new WorkbenchError(
    'load-tool-failed',
    `perf_analyzer measured ${wanted.name} ${row.load} where ${wanted.load} was asked for`,
    { where: levelText(level), details },
  );
}

interface Invocation {
  readonly inputDir: string;
  readonly csvPath: string;
  readonly stabilityPercentage: number;
  readonly maxTrials: number;
  readonly windows: MeasurementWindow[];
  readonly cpu: ReturnType<typeof createCpuMarks>;
}

/** One invocation; null: unstable and without a row. */
async function measureOnce(options: PerfAnalyzerOptions, input: MeasureInput, run: Invocation) {
  await rm(run.csvPath, { force: true });
  // perf_analyzer does not overwrite files.
  if (input.profileFile !== undefined) await rm(input.profileFile, { force: true });
  const { intervalsPath } = analyzerFiles(input.workDir);
  const intervals = input.settings.requestIntervalsUs ?? [];
  const fraction = intervals.find((interval) => !Number.isInteger(interval));
  if (fraction !== undefined) {
    throw invalidInput(
      'performance.requestIntervalsUs',
      `perf_analyzer supports only whole microseconds, not ${fraction}`,
      'Round the intervals, or measure with the built-in load generator.',
    );
  }
  if (intervals.length > 0) await writeFile(intervalsPath, `${intervals.join('\n')}\n`);
  const argv = analyzerCommand(input, { ...run, intervalsPath, binary: options.binary });
  input.onCommand(argv);
  const end = await runAnalyzer({
    argv,
    env: { ...options.env, LD_LIBRARY_PATH: options.libraryPath },
    cwd: input.workDir,
    silenceMs: silenceMs(input),
    signal: input.signal,
    onStart: (pid) => run.cpu.started(pid),
    onLine: (line) => {
      input.onLog([line]);
      const pass = parsePass(line);
      if (pass === null) return;
      const window: MeasurementWindow = {
        durationUs: null,
        requestCount: null,
        errorCount: 0,
        inferencesPerSecond: pass.inferencesPerSecond,
        avgUs: pass.latencyUs,
        ...((input.settings.percentile ?? 0) > 0 ? { percentileUs: pass.latencyUs } : {}),
        p50Us: null,
        p99Us: null,
      };
      run.cpu.windowEnded();
      run.windows.push(window);
      input.onWindow(window, run.windows.length - 1);
    },
  });
  const where = levelText(input.level);
  const failure = analyzerFailure(end, where);
  if (
    end.exitCode === unsteadyExitCode &&
    end.lines.some((line) => line.includes('Failed to obtain stable'))
  ) {
    return null;
  }
  if (failure !== null) throw failure;
  let text: string;
  try {
    text = await readPlainText(run.csvPath, fileLimits.captureCsv.bytes);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw new WorkbenchError('load-tool-failed', 'perf_analyzer succeeded but wrote no CSV file', {
      where,
      details: end.lines.slice(-40).join('\n'),
      cause,
    });
  }
  const row = parseAnalyzerCsv(text, input.settings.percentile);
  checkLoad(input, row, text);
  return { row, summary: parseAnalyzerSummary(end.lines), composing: parseComposing(end.lines) };
}

/** Columns of streams, sequences and connection; per-response times are not reported. */
function kindOf(
  input: MeasureInput,
  row: AnalyzerRow,
  sequencesPerSecond: number | null,
): Pick<LoadPoint, 'streaming' | 'sequences' | 'tls'> {
  const { settings, level, decoupled = false } = input;
  const { sequences, streaming = false } = settings;
  const tls = analyzerTls(input);
  // Not reported for models with one response per request.
  const responses = row.responsesPerSecond ?? row.columns.inferencesPerSecond / level.batchSize;
  return present({
    streaming: streaming
      ? {
          decoupled,
          responsesPerRequest: (responses * level.batchSize) / row.columns.inferencesPerSecond,
          responsesPerSecond: responses,
          fewestResponses: null,
          mostResponses: null,
          firstResponse: null,
          interResponse: null,
          finalResponse: null,
        }
      : null,
    sequences: sequences && {
      ...sequenceLengths(sequences, input.inputData.streams),
      concurrent: level.concurrency,
      endedPerSecond: sequencesPerSecond,
    },
    tls: tls && { verified: tls.insecure !== true, clientCertificate: tls.certFile !== undefined },
  });
}

function distributionOf({ level, settings }: MeasureInput): LoadPoint['requestDistribution'] {
  if (level.requestRate === undefined) return undefined;
  const { requestIntervalsUs = [], requestDistribution = 'constant' } = settings;
  return requestIntervalsUs.length > 0 ? 'custom' : requestDistribution;
}

/** Retries once after a failure that is typical of a stalled machine. */
async function measureOverStandstill(options: PerfAnalyzerOptions, input: MeasureInput, run: Invocation) {
  const hasSequences = input.settings.sequences !== undefined;
  try {
    return await measureOnce(options, input, run);
  } catch (error) {
    if (!(error instanceof WorkbenchError) || !cameOfStandstill(error, hasSequences)) throw error;
    input.onLog([`${error.message}. As after a standstill: perf_analyzer measures the level once more.`]);
  }
  return measureOnce(options, input, run);
}

/** From the merged windows, for which perf_analyzer reports throughput and mean latency. */
function intervalsOf(
  windows: readonly MeasurementWindow[],
): Pick<LoadPoint, 'throughputIntervalIps' | 'latencyIntervals'> {
  const merged = windows.slice(-stabilityWindows);
  const hasPercentile = merged.some(({ percentileUs }) => percentileUs !== undefined);
  const avgUs = hasPercentile ? null : partsInterval(merged.map((window) => window.avgUs));
  return {
    throughputIntervalIps: partsInterval(merged.map((window) => window.inferencesPerSecond)),
    ...(avgUs === null ? {} : { latencyIntervals: { avgUs, p50Us: null, p90Us: null, p95Us: null } }),
  };
}

const percentileOf = (percent = 0, { percentileUs }: AnalyzerRow): Pick<LoadPoint, 'percentile'> =>
  percentileUs === null ? {} : { percentile: { percent, latencyUs: percentileUs } };

/** The installed release, which the binary cannot print; undefined in an image. */
const installedVersion = (binary: string): Promise<string | undefined> =>
  readPlainText(join(dirname(dirname(binary)), 'version'), 64).then(
    (text) => text.trim(),
    () => undefined,
  );

/** One invocation per level. `warmupMs` is unused: only the stability rule rejects windows of the warm-up. */
export function createPerfAnalyzerTool(options: PerfAnalyzerOptions): LoadTool {
  const measure = async (input: MeasureInput): Promise<LoadPoint> => {
    const startMs = performance.now();
    await makeFolder(input.workDir);
    const { stabilityPercentage, maxTrials } = input.settings;
    const windows: MeasurementWindow[] = [];
    const cpu = createCpuMarks();
    const { csvPath } = analyzerFiles(input.workDir);
    const run = { inputDir: await writeAnalyzerInput(input), csvPath, windows, cpu };
    const anySpread = { stabilityPercentage: anySpreadPercentage, maxTrials: stabilityWindows };
    const steady = await measureOverStandstill(options, input, { ...run, stabilityPercentage, maxTrials });
    const measured = steady ?? (await measureOverStandstill(options, input, { ...run, ...anySpread }));
    if (measured === null) {
      throw new WorkbenchError(
        'load-tool-failed',
        'perf_analyzer returned no result, even without a stability rule',
        { remedy: 'Measure with a longer interval, or with --load-tool native.' },
      );
    }
    const { level, settings } = input;
    const cpuUs = cpu.perRequestUs(measured.row.columns.inferencesPerSecond / level.batchSize);
    const { requestCount, inferenceCount, executionCount, cache } = measured.summary;
    return {
      ...level,
      ...present({ requestDistribution: distributionOf(input) }),
      ...measured.row.columns,
      ...percentileOf(settings.percentile, measured.row),
      requestCount,
      // perf_analyzer exits at the first failed request.
      errorCount: 0,
      stable: steady !== null,
      flags: steady === null ? ['unstable'] : [],
      loadTool: 'perf_analyzer',
      ...present({ loadToolVersion: await installedVersion(options.binary) }),
      protocol: input.protocol,
      ...kindOf(input, measured.row, measured.summary.sequencesPerSecond),
      ...(settings.sharedMemory === undefined || settings.sharedMemory === 'none'
        ? {}
        : { sharedMemory: { kind: settings.sharedMemory, checkedCount: 0, wrongCount: 0, repairs: 0 } }),
      ...(measured.composing.length === 0 ? {} : { composing: [...measured.composing] }),
      meanServerBatch:
        inferenceCount === null || executionCount === null || executionCount === 0
          ? null
          : inferenceCount / executionCount,
      ...intervalsOf(windows),
      ...present({ cache, clientCpuUsPerRequest: cpuUs }),
      windows,
      elapsedUs: Math.round((performance.now() - startMs) * 1000),
    };
  };
  return { id: 'perf_analyzer', measure };
}
