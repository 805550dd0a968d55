import { performance } from 'node:perf_hooks';
import { toWire, WorkbenchError } from '../../contract/errors';
import { GrpcTransport } from './grpc-transport';
import { HttpTransport } from './http1-transport';
import type { LoadJob } from './load-job';
import type { Transport } from './transport';
import { nowUs } from './transport';
import { FailureCounter, WindowRecorder } from './window-recorder';
import type { FromWorker } from './worker-messages';

/** A server that answers nothing for so long counts as unreachable. */
const silenceLimitUs = 120e6;
const watchEveryMs = 1000;
/** perf_analyzer's count windows have whole seconds, and at least one. */
const shortestCountWindowUs = 1e6;
const blocksPerWindow = 4;

/** Closed loop: each slot sends its next request when the one before has been answered, without think time. */
export class LoadGenerator {
  private readonly transport: Transport;
  private readonly recorder: WindowRecorder;
  private readonly failures = new FailureCounter();
  private readonly watch: NodeJS.Timeout;
  private timer: NodeJS.Timeout | undefined;
  private utilization = performance.eventLoopUtilization();
  private succeeded = 0;
  private measuring = false;
  private stopping = false;
  private finished = false;
  /** The window's time is over, but nothing has ended in it yet. */
  private overdue = false;
  private underWay = 0;
  private windowStartUs = 0;
  private lastEndUs = nowUs();

  constructor(
    private readonly job: LoadJob,
    private readonly post: (message: FromWorker, transfer?: readonly ArrayBuffer[]) => void,
  ) {
    const counting = job.mode === 'count_windows';
    this.recorder = new WindowRecorder(
      counting ? shortestCountWindowUs / blocksPerWindow : (job.intervalMs * 1000) / blocksPerWindow,
    );
    const events = {
      success: (slot: number, startUs: number, endUs: number, sendUs: number, recvUs: number) => {
        this.onSuccess(slot, startUs, endUs, sendUs, recvUs);
      },
      failure: (slot: number, kind: string, message: string) => {
        this.onFailure(slot, kind, message);
      },
      fatal: (error: WorkbenchError) => {
        this.fail(error);
      },
    };
    this.transport =
      job.protocol === 'grpc' ? new GrpcTransport(job, events) : new HttpTransport(job, events);
    this.watch = setInterval(() => {
      this.checkSilence();
    }, watchEveryMs);
  }

  start(): void {
    for (let slot = 0; slot < this.job.concurrency; slot += 1) this.send(slot);
    this.timer = setTimeout(() => {
      this.beginMeasuring();
    }, this.job.warmupMs);
  }

  stop(): void {
    this.stopping = true;
    clearTimeout(this.timer);
    if (this.underWay === 0) this.finish();
  }

  private send(slot: number): void {
    this.underWay += 1;
    this.transport.start(slot);
  }

  private onSuccess(slot: number, startUs: number, endUs: number, sendUs: number, recvUs: number): void {
    this.succeeded += 1;
    if (this.measuring) this.recorder.success(endUs - startUs, endUs, sendUs, recvUs);
    this.afterEnd(slot, endUs);
  }

  private onFailure(slot: number, kind: string, message: string): void {
    this.failures.add(kind, message);
    if (this.measuring) this.recorder.failure(kind, message);
    this.afterEnd(slot, nowUs());
  }

  private afterEnd(slot: number, endUs: number): void {
    this.underWay -= 1;
    this.lastEndUs = endUs;
    if (this.finished) return;
    if (this.stopping) {
      if (this.underWay === 0) this.finish();
      return;
    }
    this.send(slot);
    if (this.overdue || this.countReached(endUs)) this.endWindow(endUs);
  }

  private countReached(endUs: number): boolean {
    return (
      this.measuring &&
      this.job.mode === 'count_windows' &&
      endUs - this.windowStartUs >= shortestCountWindowUs &&
      this.recorder.ended >= this.job.requestCount
    );
  }

  private beginMeasuring(): void {
    this.measuring = true;
    this.utilization = performance.eventLoopUtilization();
    this.beginWindow(nowUs());
    this.post({ type: 'warm' });
  }

  private beginWindow(startUs: number): void {
    this.windowStartUs = startUs;
    this.overdue = false;
    this.recorder.begin(startUs);
    if (this.job.mode === 'count_windows') return;
    const elapsedMs = (nowUs() - startUs) / 1000;
    this.timer = setTimeout(
      () => {
        if (this.recorder.ended === 0) this.overdue = true;
        else this.endWindow(nowUs());
      },
      Math.max(1, this.job.intervalMs - elapsedMs),
    );
  }

  private endWindow(endUs: number): void {
    const present = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(present, this.utilization);
    this.utilization = present;
    const window = this.recorder.close(endUs, utilization);
    this.beginWindow(endUs);
    this.post({ type: 'window', window }, [window.latenciesUs.buffer as ArrayBuffer]);
  }

  private checkSilence(): void {
    if (this.underWay === 0 || nowUs() - this.lastEndUs < silenceLimitUs) return;
    this.fail(
      new WorkbenchError('server-unreachable', `No request was answered within ${silenceLimitUs / 1e6} s`, {
        where: `${this.job.host}:${this.job.port}`,
      }),
    );
  }

  private finish(): void {
    if (this.end()) {
      this.post({ type: 'ended', totals: { succeeded: this.succeeded, failures: this.failures.counts } });
    }
  }

  private fail(error: WorkbenchError): void {
    if (this.end()) this.post({ type: 'failed', error: toWire(error) });
  }

  /** False when it had ended before. */
  private end(): boolean {
    if (this.finished) return false;
    this.finished = true;
    clearTimeout(this.timer);
    clearInterval(this.watch);
    this.transport.close();
    return true;
  }
}
