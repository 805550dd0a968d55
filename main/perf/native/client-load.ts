import type { LoadPoint } from '../../contract/results';
import { roundUs } from '../round-us';
import type { RecordedWindow } from './worker-messages';

type ClientLoad = NonNullable<LoadPoint['client']>;

/** A thread that is busy for more of the time than this delays what it measures. */
const saturatedShare = 0.9;
/**
 * CPU of the process for each of its generators, in cores. A generator is one thread and has no second core to go to. What
 * else the process does (a main thread that is nearly idle, helpers that collect garbage) counts in it too, so that the
 * limit lies above that of the loop.
 */
const saturatedCpuShare = 0.95;
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
    loopDelayP99Us: roundUs(Math.max(...windows.map((window) => window.loopDelayP99Us))),
  };
}

/**
 * The generator hides the server: its loop is never idle, its thread takes a whole core, or it was held up for longer than
 * a request takes.
 * @param generators in the same process, whose CPU time is that of all.
 */
export function isSaturated(client: ClientLoad, p50Us: number, generators: number): boolean {
  const heldUp = client.loopDelayP99Us > Math.max(p50Us, shortestHoldUpUs);
  const wholeCore = client.cpuShare !== null && client.cpuShare >= saturatedCpuShare * generators;
  return client.loopShare > saturatedShare || wholeCore || heldUp;
}
