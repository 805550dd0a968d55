import type { FromWorker, LoadJob } from '../seam/load-job';
import { nowUs, type ResponseTimes, type Transport } from '../seam/transport';
import { OwnLoad } from './own-load';
import { SaturationWatch, watchMsOf } from './saturation-watch';
import { WindowRecorder } from './window-recorder';

/** perf_analyzer's count windows last whole seconds, at least one. */
const shortestCountWindowUs = 1e6;
const blocksPerWindow = 4;
/** Block length for count windows, whose duration is not known in advance. */
export const shortestBlockUs = shortestCountWindowUs / blocksPerWindow;

/** Requests buffered while the server's count is awaited; beyond, the clock's bound is used. */
const mostAwaiting = 100_000;

/** End of a request, a candidate for a window's end. */
interface RequestEnd {
  readonly endUs: number;
  readonly sequencesEnded: number;
}

type EndedRequest =
  | (RequestEnd & {
      readonly succeeded: true;
      readonly startUs: number;
      readonly sendUs: number;
      readonly recvUs: number;
      readonly dueUs: number;
      readonly answers: ResponseTimes | undefined;
    })
  | {
      readonly succeeded: false;
      readonly kind: string;
      readonly message: string;
      readonly dueUs: number;
      readonly endUs: number;
    };

/** A due window bound, and requests ended since. */
interface Bound extends RequestEnd {
  readonly succeeded: number;
  readonly since: EndedRequest[];
  /** Number of successful requests at which the window ends; null while awaited. */
  cutAt: number | null;
  /** Requests that may end before waiting for `cutAt` is given up. */
  endsLeft: number;
}

/** Window logic of the load generator. */
export interface LoadWindows {
  start(): void;
  /** Whether another request may be sent; counts it. */
  take(): boolean;
  success(
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    dueUs: number,
    answers: ResponseTimes | undefined,
  ): void;
  failure(kind: string, message: string, dueUs: number, endUs: number): void;
  requestEnded(endUs: number): void;
  cut(number: number, succeeded: number | null, underWay: number): void;
  stop(): void;
  close(): void;
}

/**
 * Cuts the time after warm-up into windows, by time or count. Each begins and ends with the end of a request; otherwise
 * a request across a bound would count in one window and its time in another.
 * The server's counters decide which request: they are read when the time is over, and the window has what they had
 * counted. Moments earlier or later active requests would have waited differently, and server means would cover other
 * requests than the client's.
 */
export class WindowKeeper implements LoadWindows {
  private readonly counting: boolean;
  private readonly recorder: WindowRecorder;
  private readonly own = new OwnLoad();
  private timer: NodeJS.Timeout | undefined;
  private succeeded = 0;
  private bounds = 0;
  private bound: Bound | null = null;
  private measuring = false;
  /** Warm-up is over. */
  private warm = false;
  /** The window's time is over. */
  private overdue = false;
  private startUs = 0;
  private warmupLeft: number;
  private watch: NodeJS.Timeout | undefined;
  private overSaturated = false;

  /** @param go starts all slots */
  constructor(
    private readonly job: LoadJob,
    private readonly transport: () => Pick<Transport, 'sequencesEnded'>,
    private readonly post: (message: FromWorker) => void,
    private readonly go: () => void,
    private readonly inFlight: () => number,
  ) {
    this.warmupLeft = job.warmupRequests ?? 0;
    this.counting = job.mode === 'count_windows';
    this.recorder = new WindowRecorder(
      this.counting ? shortestBlockUs : (job.intervalMs * 1000) / blocksPerWindow,
      job,
    );
  }

  /** Starts the warm-up, then the first window. */
  start(): void {
    this.go();
    // A warm-up by request count ends with its last request.
    if (this.warmupLeft > 0) return;
    this.timer = setTimeout(() => {
      this.warm = true;
    }, this.job.warmupMs);
  }

  take(): boolean {
    return true;
  }

  success(
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    dueUs: number,
    answers: ResponseTimes | undefined,
  ): void {
    this.succeeded += 1;
    if (this.bound !== null) {
      const { sequencesEnded } = this.transport();
      // The transport reuses the times.
      const kept = answers === undefined ? undefined : { ...answers, contentUs: [...answers.contentUs] };
      this.bound.since.push({
        ...{ succeeded: true, startUs, endUs, sendUs, recvUs, dueUs },
        answers: kept,
        sequencesEnded,
      });
    } else if (this.measuring) {
      this.recorder.success(startUs, endUs, sendUs, recvUs, dueUs);
      if (answers !== undefined) this.recorder.answers(startUs, answers);
    }
  }

  failure(kind: string, message: string, dueUs: number, endUs: number): void {
    if (this.bound !== null) this.bound.since.push({ succeeded: false, kind, message, dueUs, endUs });
    else if (this.measuring) this.recorder.failure(kind, message, dueUs, endUs);
  }

  /** Applies due bounds after each request. */
  requestEnded(endUs: number): void {
    if (this.warmupLeft > 0) {
      this.warmupLeft -= 1;
      this.warm = this.warmupLeft === 0;
    }
    const { bound } = this;
    if (bound !== null) {
      this.settle(bound);
    } else if (this.isOver(endUs)) {
      const { sequencesEnded } = this.transport();
      this.bound = { endUs, sequencesEnded, succeeded: this.succeeded, since: [], cutAt: null, endsLeft: 0 };
      this.bounds += 1;
      this.post({ type: 'bound', bound: this.bounds });
    }
  }

  /**
   * Reply to `bound`. Requests that the server has counted and the client has not seen are active; if there are more
   * than that, other clients use the model or counted requests failed, and the clock's bound stays. So it does for
   * streams, which may be counted long before their last response.
   * @param succeeded requests of the level counted by the server; null: unknown
   * @param underWay active requests
   */
  cut(number: number, succeeded: number | null, underWay: number): void {
    const { bound } = this;
    if (bound === null || number !== this.bounds) return;
    const known =
      succeeded !== null &&
      succeeded >= bound.succeeded &&
      succeeded <= this.succeeded + underWay &&
      !this.job.streaming;
    bound.cutAt = known ? succeeded : bound.succeeded;
    bound.endsLeft = underWay;
    if (this.succeeded >= bound.cutAt) this.divide(bound, bound.cutAt);
  }

  /** Disables the clock. */
  stop(): void {
    clearTimeout(this.timer);
    clearInterval(this.watch);
  }

  close(): void {
    this.stop();
    this.own.close();
  }

  /** An open level that queues without end is over. */
  private watchSaturation(): void {
    const everyMs = watchMsOf(this.job);
    if (everyMs === null || this.job.schedule === null) return;
    const watch = new SaturationWatch(this.job.schedule, everyMs);
    this.watch = setInterval(() => {
      const { scheduledSoFar } = this.recorder;
      if (scheduledSoFar === null) return;
      this.overSaturated ||= watch.look({ ...scheduledSoFar, inFlight: this.inFlight() });
      this.overdue ||= this.overSaturated;
    }, everyMs);
  }

  private isOver(endUs: number): boolean {
    if (!this.measuring) return this.warm;
    return this.overdue || (this.counting && this.countReached(endUs));
  }

  /** A request ended while a bound is open. */
  private settle(bound: Bound): void {
    if (bound.cutAt === null) {
      if (bound.since.length >= mostAwaiting) this.divide(bound, bound.succeeded);
    } else if (this.succeeded >= bound.cutAt) {
      this.divide(bound, bound.cutAt);
    } else {
      bound.endsLeft -= 1;
      if (bound.endsLeft <= 0) this.divide(bound, bound.succeeded);
    }
  }

  /** Assigns requests up to `cutAt` to the window, the rest to the next. */
  private divide(bound: Bound, cutAt: number): void {
    this.bound = null;
    let end: RequestEnd = bound;
    let taken = 0;
    for (let { succeeded } = bound; succeeded < cutAt; taken += 1) {
      const request = bound.since[taken];
      if (request === undefined) break;
      this.record(request);
      if (!request.succeeded) continue;
      succeeded += 1;
      end = request;
    }
    if (this.measuring) this.endWindow(end);
    else this.beginMeasuring(end);
    for (const request of bound.since.slice(taken)) this.record(request);
  }

  private record(request: EndedRequest): void {
    if (!this.measuring) return;
    if (!request.succeeded) {
      this.recorder.failure(request.kind, request.message, request.dueUs, request.endUs);
      return;
    }
    const { startUs, endUs, sendUs, recvUs, dueUs, answers } = request;
    this.recorder.success(startUs, endUs, sendUs, recvUs, dueUs);
    if (answers !== undefined) this.recorder.answers(startUs, answers);
  }

  private countReached(endUs: number): boolean {
    return endUs - this.startUs >= shortestCountWindowUs && this.recorder.ended >= this.job.requestCount;
  }

  private beginMeasuring({ endUs, sequencesEnded }: RequestEnd): void {
    this.measuring = true;
    this.own.begin(sequencesEnded);
    this.beginWindow(endUs);
    this.watchSaturation();
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

  private endWindow({ endUs, sequencesEnded }: RequestEnd): void {
    const window = this.recorder.close(endUs, this.own.read(sequencesEnded));
    const { overSaturated } = this;
    this.post({ type: 'window', window: overSaturated ? { ...window, overSaturated } : window });
    this.beginWindow(endUs);
  }
}
