import type { LoadPoint } from '../../../contract/measured/results';
import { roundUs } from '../../../contract/numbers';
import { largestOf } from '../../../domain/statistics';
import type { RecordedWindow } from '../seam/load-job';

type ClientLoad = NonNullable<LoadPoint['client']>;

/** A thread that is busy for more of the time than this delays what it measures. */
const saturatedShare = 0.9;
/**
 * CPU of the process for each of its generators, in cores. A generator is one thread and has no second core to go to. What
 * else the process does (a main thread that is nearly idle, helpers that collect garbage) counts in it too, so that the
 * limit lies above that of the loop.
 */
const saturatedCpuShare = 0.95;
/**
 * In cores. A generator that holds itself up (garbage collection, large messages) uses most of a core while it does, and one
 * that does so often enough to move p99 uses much of it over the whole window.
 */
const ownWorkShare = 0.5;
/** Hold-ups of the event loop below this are the system's scheduling. */
const shortestHoldUpUs = 10_000;
/**
 * Kernels without exact accounting count CPU time in clock ticks of up to 10 ms: below this time the two ends of a
 * measurement alone are more than 5 % of a core.
 */
const shortestCpuUs = (2 * 10_000) / 0.05;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function cpuShareOf(windows: readonly RecordedWindow[]): number | null {
  const spanUs = sum(windows.map((window) => window.cpuSpanUs));
  return spanUs < shortestCpuUs ? null : sum(windows.map((window) => window.cpuUs)) / spanUs;
}

/** What the generator had to do in the windows. */
export function clientLoadOf(windows: readonly RecordedWindow[]): ClientLoad {
  const busyUs = sum(windows.map((window) => window.loopUtilization * window.durationUs));
  return {
    cpuShare: cpuShareOf(windows),
    loopShare: busyUs / sum(windows.map((window) => window.durationUs)),
    loopDelayP99Us: roundUs(largestOf(windows.map((window) => window.loopDelayP99Us))),
  };
}

/**
 * What stood between the server and its figures. `client-saturated`: the generator's loop is never idle, its thread takes a
 * whole core, or its own work held it up for longer than a request takes. `machine-busy`: it was held up as long while it
 * had little to do itself, so that other work had the processor.
 * @param generators in the same process, whose CPU time is that of all.
 * @returns null when the generator kept up.
 */
export function clientFlag(
  client: ClientLoad,
  p50Us: number,
  generators: number,
): 'client-saturated' | 'machine-busy' | null {
  const cores = client.cpuShare === null ? null : client.cpuShare / generators;
  if (client.loopShare > saturatedShare || (cores ?? 0) >= saturatedCpuShare) return 'client-saturated';
  if (client.loopDelayP99Us <= Math.max(p50Us, shortestHoldUpUs)) return null;
  // A loop that waits for a processor counts as busy: only CPU time tells the two apart well.
  return (cores ?? client.loopShare) < ownWorkShare ? 'machine-busy' : 'client-saturated';
}
