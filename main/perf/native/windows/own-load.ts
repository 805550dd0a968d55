import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { RecordedWindow } from '../seam/load-job';
import { nowUs } from '../seam/transport';

/** Event loop delay resolution in ms; each sample is a wake-up. */
const delayResolutionMs = 20;

/** CPU time of the process, with its timestamp. */
function readCpu(): { readonly usedUs: number; readonly atUs: number } {
  const { user, system } = process.cpuUsage();
  return { usedUs: user + system, atUs: nowUs() };
}

/** Load of the thread itself in a window. */
export class OwnLoad {
  private readonly delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  private utilization = performance.eventLoopUtilization();
  private cpu = readCpu();
  private sequencesBefore = 0;

  constructor() {
    this.delays.enable();
  }

  /** Starts the first window; later ones start at the previous `read`. */
  begin(sequencesEnded: number): void {
    this.utilization = performance.eventLoopUtilization();
    this.cpu = readCpu();
    this.delays.reset();
    this.sequencesBefore = sequencesEnded;
  }

  read(
    sequencesEnded: number,
  ): Pick<RecordedWindow, 'loopUtilization' | 'loopDelayP99Us' | 'cpuUs' | 'cpuSpanUs' | 'sequencesEnded'> {
    const present = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(present, this.utilization);
    this.utilization = present;
    const before = this.cpu;
    this.cpu = readCpu();
    const own = {
      loopUtilization: utilization,
      // The histogram records the interval between wake-ups.
      loopDelayP99Us: Math.max(0, this.delays.percentile(99) / 1000 - delayResolutionMs * 1000),
      sequencesEnded: sequencesEnded - this.sequencesBefore,
      cpuUs: this.cpu.usedUs - before.usedUs,
      cpuSpanUs: this.cpu.atUs - before.atUs,
    };
    this.delays.reset();
    this.sequencesBefore = sequencesEnded;
    return own;
  }

  close(): void {
    this.delays.disable();
  }
}
