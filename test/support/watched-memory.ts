import { readdirSync, readFileSync } from 'node:fs';

/** The most that was seen of a process. */
export interface WatchedMemory {
  /** Resident memory, MiB. */
  readonly mostMiB: () => number;
  readonly mostDescriptors: () => number;
  readonly stop: () => void;
}

const everyMs = 1000;

function residentMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes ?? 0) / 1024;
}

/** Looks at a process every second until `stop`; one that has ended keeps what was seen of it. */
export function watchMemory(pid: number): WatchedMemory {
  let mostMiB = 0;
  let mostDescriptors = 0;
  const sample = (): void => {
    try {
      mostMiB = Math.max(mostMiB, residentMiB(pid));
      mostDescriptors = Math.max(mostDescriptors, readdirSync(`/proc/${pid}/fd`).length);
    } catch {
      // It has ended.
    }
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    mostMiB: () => mostMiB,
    mostDescriptors: () => mostDescriptors,
    stop: () => {
      sample();
      clearInterval(timer);
    },
  };
}
