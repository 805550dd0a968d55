import type { LoadPoint } from '../../main/contract/measured/results';
import { histogramOf, LatencyHistogram } from '../../main/perf/latency-histogram';
import type { MeasureInput } from '../../main/perf/load-tool';
import { levelResult, summarizeWindow } from '../../main/perf/native/level/level-result';
import { readJob, runLoadSession } from '../../main/perf/native/level/load-session';
import type { RecordedWindow } from '../../main/perf/native/seam/load-job';

/** One measurement of a level: what the product says of it, and the windows it says it from. */
export interface Trial {
  readonly result: NonNullable<ReturnType<typeof levelResult>>;
  readonly windows: readonly RecordedWindow[];
}

/** The load of a level for so many windows, judged by the product's own code; the server's counters are left out. */
export async function measureTrial(
  workerFile: string,
  input: Omit<MeasureInput, 'signal' | 'onWindow' | 'onLog' | 'onCommand'>,
  windowCount: number,
): Promise<Trial> {
  const { signal } = new AbortController();
  const whole: MeasureInput = {
    ...input,
    signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
  };
  const windows: RecordedWindow[] = [];
  await runLoadSession({
    workerFile,
    job: await readJob(whole),
    signal,
    keepsThread: false,
    onBound: () => Promise.resolve(null),
    onRegionsLost: () => Promise.resolve(),
    onWindow: (window, stop) => {
      if (windows.length < windowCount) windows.push(window);
      if (windows.length >= windowCount) stop();
    },
  });
  const measured = windows.map((recorded) => ({
    recorded,
    summary: summarizeWindow(recorded, input.level.batchSize),
    server: null,
  }));
  const result = levelResult(measured, input.level, input.settings);
  if (result === null) throw new Error('No request was answered');
  return { result, windows };
}

/** Throughput and p99 over many measurements together. */
export function together(
  trials: readonly Trial[],
  batchSize: number,
): Pick<LoadPoint, 'inferencesPerSecond' | 'p99Us'> {
  const all = new LatencyHistogram();
  let durationUs = 0;
  for (const window of trials.flatMap((trial) => trial.windows)) {
    all.merge(histogramOf(window.latencies));
    durationUs += window.durationUs;
  }
  return { inferencesPerSecond: (all.count * batchSize * 1e6) / durationUs, p99Us: all.percentile(99) };
}
