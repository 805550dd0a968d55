import type { LoadPoint } from '../../../contract/measured/results';
import { roundUs } from '../../../contract/numbers';
import { largestOf } from '../../../domain/statistics';
import type { RecordedWindow } from '../seam/load-job';

type ClientLoad = NonNullable<LoadPoint['client']>;

/** Event loop utilization above which the client delays its own measurements. */
const saturatedShare = 0.9;
/** Cores per generator above which it is saturated; includes the process's other threads, hence above the loop limit. */
const saturatedCpuShare = 0.95;
/** Cores. A generator that delays itself often enough to affect p99 shows this CPU usage over a window. */
const ownWorkShare = 0.5;
/** Shorter event loop delays are OS scheduling. */
const shortestHoldUpUs = 10_000;
/** Kernels may count CPU in ticks of up to 10 ms: shorter intervals are off by more than 5 % of a core. */
const shortestCpuUs = (2 * 10_000) / 0.05;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function cpuShareOf(windows: readonly RecordedWindow[]): number | null {
  const spanUs = sum(windows.map((window) => window.cpuSpanUs));
  return spanUs < shortestCpuUs ? null : sum(windows.map((window) => window.cpuUs)) / spanUs;
}

export function clientLoadOf(windows: readonly RecordedWindow[]): ClientLoad {
  const busyUs = sum(windows.map((window) => window.loopUtilization * window.durationUs));
  return {
    cpuShare: cpuShareOf(windows),
    loopShare: busyUs / sum(windows.map((window) => window.durationUs)),
    loopDelayP99Us: roundUs(largestOf(windows.map((window) => window.loopDelayP99Us))),
  };
}

/**
 * `client-saturated`: the loop is never idle, the thread uses a whole core, or its own work delayed it longer than a
 * request takes. `machine-busy`: delayed as long with little own work, so other processes had the CPU.
 * @param generators in the process, which share its CPU time
 * @returns null if the generator kept up
 */
export function clientFlag(
  client: ClientLoad,
  p50Us: number,
  generators: number,
): 'client-saturated' | 'machine-busy' | null {
  const cores = client.cpuShare === null ? null : client.cpuShare / generators;
  if (client.loopShare > saturatedShare || (cores ?? 0) >= saturatedCpuShare) return 'client-saturated';
  if (client.loopDelayP99Us <= Math.max(p50Us, shortestHoldUpUs)) return null;
  // A loop waiting for a CPU counts as busy, so CPU time decides.
  return (cores ?? client.loopShare) < ownWorkShare ? 'machine-busy' : 'client-saturated';
}
