import type { FromWorker, LoadJob } from '../seam/load-job';
import { nowUs, type ResponseTimes, type Transport } from '../seam/transport';
import { OwnLoad } from './own-load';
import { WindowRecorder } from './window-recorder';

/** perf_analyzer's count windows have whole seconds, and at least one. */
const shortestCountWindowUs = 1e6;
const blocksPerWindow = 4;
/** Of windows by count, whose length is not known before. */
export const shortestBlockUs = shortestCountWindowUs / blocksPerWindow;

/** Of requests that no window has yet, while the server's count is awaited; then the bound is where the clock put it. */
const mostAwaiting = 100_000;

/** The end of a request, at which a window may end. */
interface RequestEnd {
  readonly endUs: number;
  /** Until then, by all slots. */
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
  | { readonly succeeded: false; readonly kind: string; readonly message: string };

/** Where the time of the warm-up or of a window was over, and what has ended since. */
interface Bound extends RequestEnd {
  /** Requests of the level by then. */
  readonly succeeded: number;
  readonly since: EndedRequest[];
  /** After how many successful requests of the level the window ends; null while the server's count is awaited. */
  cutAt: number | null;
  /** Then: so many more requests may end, well or badly, before that is given up. */
  endsLeft: number;
}

/** What the load generator tells of its requests, and who lets it send them. */
export interface LoadWindows {
  /** The level begins. */
  start(): void;
  /** Whether one more request may be sent now; counts it. */
  take(): boolean;
  success(
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    dueUs: number,
    answers: ResponseTimes | undefined,
  ): void;
  failure(kind: string, message: string): void;
  requestEnded(endUs: number): void;
  cut(number: number, succeeded: number | null, underWay: number): void;
  stop(): void;
  close(): void;
}

/**
 * Cuts the time after the warm-up into windows, by time or by count, and posts each with what the thread had to do in it.
 * The first begins, and each ends, with the end of a request: where a window has only a few, one that lies across its bound
 * would else count in one window or in none, and its time in another.
 *
 * Which request that is the server says: when the time is over its counters are asked for, and what they had counted when
 * they were read is what the window has. A moment earlier or later the requests under way have waited for another time, so
 * that the server's means would be those of other requests than the client's.
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
  /** The warm-up's time is over. */
  private warm = false;
  /** The window's time is over. */
  private overdue = false;
  private startUs = 0;
  private warmupLeft: number;

  /** @param go sends by all slots. */
  constructor(
    private readonly job: LoadJob,
    private readonly transport: () => Pick<Transport, 'sequencesEnded'>,
    private readonly post: (message: FromWorker) => void,
    private readonly go: () => void,
  ) {
    this.warmupLeft = job.warmupRequests ?? 0;
    this.counting = job.mode === 'count_windows';
    this.recorder = new WindowRecorder(
      this.counting ? shortestBlockUs : (job.intervalMs * 1000) / blocksPerWindow,
      job.schedule !== null,
      job.streaming,
      job.keepsRequests,
    );
  }

  /** The warm-up begins; after it the first window. */
  start(): void {
    this.go();
    // A warm-up of so many requests ends with the last of them.
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
      // The transport uses the times of the answers again.
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

  failure(kind: string, message: string): void {
    if (this.bound !== null) this.bound.since.push({ succeeded: false, kind, message });
    else if (this.measuring) this.recorder.failure(kind, message);
  }

  /** After each request: what waited for it, or for so many, ends with it. */
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
   * The answer to `bound`. What the server has counted and the client does not know is still under way: where that is more, there
   * are others who ask the model, or requests have failed after they were counted, and the bound stays where the clock put it. So it
   * does over streams, whose requests the server may count long before it has answered them.
   * @param succeeded of the level's requests, as the server had counted; null: not known
   * @param underWay requests that have not ended
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

  /** No window ends by the clock any more. */
  stop(): void {
    clearTimeout(this.timer);
  }

  close(): void {
    clearTimeout(this.timer);
    this.own.close();
  }

  private isOver(endUs: number): boolean {
    if (!this.measuring) return this.warm;
    return this.overdue || (this.counting && this.countReached(endUs));
  }

  /** A request has ended while the bound is not settled. */
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

  /** What had ended up to `cutAt` belongs before the bound, the rest after it. */
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
      this.recorder.failure(request.kind, request.message);
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
    this.post({ type: 'window', window });
    this.beginWindow(endUs);
  }
}
