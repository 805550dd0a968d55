import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { LoadJob } from './load-job';
import { readCpu } from './read-cpu';
import type { AnswerTimes, Transport } from './transport';
import { nowUs } from './transport';
import { WindowRecorder } from './window-recorder';
import type { FromWorker } from './worker-messages';

/** perf_analyzer's count windows have whole seconds, and at least one. */
const shortestCountWindowUs = 1e6;
const blocksPerWindow = 4;
/** Of the event loop's delay; it costs a wake-up each. */
const delayResolutionMs = 20;

/**
 * Cuts the time after the warm-up into windows, by time or by count, and posts each with what the thread had to do in it.
 * The first begins, and each ends, with the end of a request: where a window has only a few, one that lies across its bound
 * would else count in one window or in none, and its time in another.
 */
export class WindowKeeper {
  private readonly counting: boolean;
  private readonly recorder: WindowRecorder;
  private readonly delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  private timer: NodeJS.Timeout | undefined;
  private utilization = performance.eventLoopUtilization();
  private cpu = readCpu();
  private sequencesBefore = 0;
  private measuring = false;
  /** The warm-up's time is over. */
  private warm = false;
  /** The window's time is over. */
  private overdue = false;
  private startUs = 0;

  constructor(
    private readonly job: LoadJob,
    private readonly transport: () => Pick<Transport, 'sequencesEnded'>,
    private readonly post: (message: FromWorker) => void,
  ) {
    this.counting = job.mode === 'count_windows';
    this.recorder = new WindowRecorder(
      this.counting ? shortestCountWindowUs / blocksPerWindow : (job.intervalMs * 1000) / blocksPerWindow,
      job.schedule !== null,
      job.streaming,
    );
    this.delays.enable();
  }

  /** The warm-up begins; after it the first window. */
  start(): void {
    this.timer = setTimeout(() => {
      this.warm = true;
    }, this.job.warmupMs);
  }

  success(
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    dueUs: number,
    answers: AnswerTimes | undefined,
  ): void {
    if (!this.measuring) return;
    this.recorder.success(startUs, endUs, sendUs, recvUs, dueUs);
    if (answers !== undefined) this.recorder.answers(startUs, answers);
  }

  failure(kind: string, message: string): void {
    if (this.measuring) this.recorder.failure(kind, message);
  }

  /** After each request: what waited for it, or for so many, ends with it. */
  requestEnded(endUs: number): void {
    if (this.warm && !this.measuring) this.beginMeasuring(endUs);
    else if (this.overdue || (this.counting && this.countReached(endUs))) this.endWindow(endUs);
  }

  /** No window ends by the clock any more. */
  stop(): void {
    clearTimeout(this.timer);
  }

  close(): void {
    clearTimeout(this.timer);
    this.delays.disable();
  }

  private countReached(endUs: number): boolean {
    return (
      this.measuring &&
      endUs - this.startUs >= shortestCountWindowUs &&
      this.recorder.ended >= this.job.requestCount
    );
  }

  private beginMeasuring(startUs: number): void {
    this.measuring = true;
    this.utilization = performance.eventLoopUtilization();
    this.cpu = readCpu();
    this.delays.reset();
    this.sequencesBefore = this.transport().sequencesEnded;
    this.beginWindow(startUs);
    this.post({ type: 'warm' });
  }

  private beginWindow(startUs: number): void {
    this.startUs = startUs;
    this.overdue = false;
    this.recorder.begin(startUs);
    if (this.counting) return;
    const elapsedMs = (nowUs() - startUs) / 1000;
    this.timer = setTimeout(
      () => {
        this.overdue = true;
      },
      Math.max(1, this.job.intervalMs - elapsedMs),
    );
  }

  private endWindow(endUs: number): void {
    const present = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(present, this.utilization);
    this.utilization = present;
    const before = this.cpu;
    this.cpu = readCpu();
    const { sequencesEnded } = this.transport();
    const window = this.recorder.close(endUs, {
      loopUtilization: utilization,
      // What the monitor records is the time between two of its wake-ups.
      loopDelayP99Us: Math.max(0, this.delays.percentile(99) / 1000 - delayResolutionMs * 1000),
      sequencesEnded: sequencesEnded - this.sequencesBefore,
      cpuUs: this.cpu.usedUs - before.usedUs,
      cpuSpanUs: this.cpu.atUs - before.atUs,
    });
    this.delays.reset();
    this.sequencesBefore = sequencesEnded;
    this.post({ type: 'window', window });
    this.beginWindow(endUs);
  }
}
