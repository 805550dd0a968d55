import { toWire } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { formatMs } from '../../contract/numbers';
import { type LoadLevel, searchLatencyUs } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';
import { measureModels } from './server-models';

/** A moment is enough to see that a rate is too high; of slow models it is longer. */
const window = { leastMs: 1000, mostMs: 5000, requests: 100 } as const;
/** A generator that begins late sends its backlog first. */
const warmupMs = 500;

function settingsOf({ requestRate = 1 }: LoadLevel) {
  const wantedMs = (1000 * window.requests) / requestRate;
  return {
    ...{ maxTrials: 1, warmupMs, warmupRequestCount: 0, requestCount: 0 },
    measurementMode: 'time_windows' as const,
    measurementIntervalMs: Math.round(Math.min(window.mostMs, Math.max(window.leastMs, wantedMs))),
  };
}

/** One short window of a rate, of which nothing is kept. @returns the slowest model's point; null: no result */
export async function probeRate(
  level: LoadLevel,
  how: {
    readonly tool: LoadTool;
    readonly inputs: readonly MeasureInput[];
    readonly onLog: (line: string) => void;
  },
): Promise<LoadPoint | null> {
  const inputs = how.inputs.map((input) => ({
    ...input,
    settings: { ...input.settings, ...settingsOf(level) },
  }));
  try {
    const points = await measureModels(how.tool, inputs);
    const point = points.reduce((worst, one) =>
      searchLatencyUs(one) > searchLatencyUs(worst) ? one : worst,
    );
    const percentile = point.percentile?.percent ?? 99;
    how.onLog(`ramp: ${levelText(level)}: p${percentile} ${formatMs(searchLatencyUs(point))} ms`);
    return point;
  } catch (error) {
    how.onLog(`ramp: ${levelText(level)}: no result: ${toWire(error).message}`);
    return null;
  }
}
