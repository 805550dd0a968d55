import { processCpuUs } from '../../platform/process-identity';
import { stabilityWindows } from '../stability';

interface Mark {
  readonly cpuUs: number;
  readonly atMs: number;
}

/**
 * CPU time of a running perf_analyzer over its last windows: read at the end of each, so that its start is left out.
 * The first of the merged windows is left out too, since nothing tells when it began.
 */
export function createCpuMarks(now: () => number = () => performance.now()): {
  started(pid: number): void;
  windowEnded(): void;
  /** Microseconds of CPU for each request; null with fewer than two windows or where they came at once. */
  perRequestUs(requestsPerSecond: number): number | null;
} {
  let pid: number | null = null;
  let marks: Mark[] = [];
  return {
    started: (id) => {
      pid = id;
      marks = [];
    },
    windowEnded: () => {
      const cpuUs = pid === null ? null : processCpuUs(pid);
      if (cpuUs !== null) marks.push({ cpuUs, atMs: now() });
    },
    perRequestUs: (requestsPerSecond) => {
      const last = marks.slice(-stabilityWindows);
      const [from] = last;
      const to = last.at(-1);
      if (from === undefined || to === undefined || to.atMs <= from.atMs || requestsPerSecond <= 0)
        return null;
      return (to.cpuUs - from.cpuUs) / ((to.atMs - from.atMs) / 1000) / requestsPerSecond;
    },
  };
}
