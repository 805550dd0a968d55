import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { RecordedWindow } from '../seam/load-job';
import { nowUs } from '../seam/transport';

/** Of the event loop's delay; it costs a wake-up each. */
const delayResolutionMs = 20;

/** CPU time of the process, and when it was read: over the time between two readings it is a share. */
function readCpu(): { readonly usedUs: number; readonly atUs: number } {
  const { user, system } = process.cpuUsage();
  return { usedUs: user + system, atUs: nowUs() };
}

/** What the thread itself has to do in a window. */
export class OwnLoad {
  private readonly delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  private utilization = performance.eventLoopUtilization();
  private cpu = readCpu();
  private sequencesBefore = 0;

  constructor() {
    this.delays.enable();
  }

  /** The first window begins; later ones begin where the one before was read. */
  begin(sequencesEnded: number): void {
    this.utilization = performance.eventLoopUtilization();
    this.cpu = readCpu();
    this.delays.reset();
    this.sequencesBefore = sequencesEnded;
  }

  /** Of the window that ends here. */
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
      // What the monitor records is the time between two of its wake-ups.
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
