import type { FromWorker, LoadJob } from '../seam/load-job';
import { nowUs, type ResponseTimes, type Transport } from '../seam/transport';
import { OwnLoad } from './own-load';
import { type LoadWindows, shortestBlockUs } from './window-keeper';
import { WindowRecorder } from './window-recorder';

interface CountedPorts {
  readonly transport: () => Pick<Transport, 'sequencesEnded'>;
  readonly post: (message: FromWorker) => void;
  readonly underWay: () => number;
  /** Starts slots, as far as `take` allows. @param measured after the warm-up, if any */
  readonly go: (measured: boolean) => void;
  /** Items of all successful requests; absent: each has the level's batch size. */
  readonly items?: () => number;
}

/**
 * The only window of a level with a request count, from the first send to the last response; a warm-up ends with its
 * own last response. Server counters are read while no request is active, so they cover exactly these requests.
 */
export class CountedWindow implements LoadWindows {
  private readonly recorder: WindowRecorder;
  private readonly own = new OwnLoad();
  private timer: NodeJS.Timeout | undefined;
  /** Remaining requests of warm-up or window. */
  private left = 0;
  private measuring = false;
  /** Waiting for counters, or finished. */
  private atBound = false;
  private succeeded = 0;
  private startUs = 0;
  private endUs = 0;
  private itemsBefore = 0;

  constructor(
    private readonly job: LoadJob,
    private readonly count: number,
    private readonly ports: CountedPorts,
  ) {
    this.recorder = new WindowRecorder(shortestBlockUs, job);
  }

  start(): void {
    const { warmupMs, warmupRequests = 0 } = this.job;
    if (warmupRequests > 0) this.left = warmupRequests;
    else if (warmupMs > 0) {
      this.left = Infinity;
      this.timer = setTimeout(() => {
        this.left = 0;
        this.checkEnd();
      }, warmupMs);
    }
    if (this.left > 0) this.ports.go(false);
    else this.checkEnd();
  }

  take(): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
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
    if (!this.measuring) return;
    this.recorder.success(startUs, endUs, sendUs, recvUs, dueUs);
    if (answers !== undefined) this.recorder.answers(startUs, answers);
  }

  failure(kind: string, message: string, dueUs: number, endUs: number): void {
    if (this.measuring) this.recorder.failure(kind, message, dueUs, endUs);
  }

  requestEnded(endUs: number): void {
    this.endUs = endUs;
    this.checkEnd();
  }

  cut(): void {
    if (!this.atBound) return;
    const { sequencesEnded } = this.ports.transport();
    if (this.measuring) {
      const window = this.recorder.close(this.endUs, this.own.read(sequencesEnded));
      const { items } = this.ports;
      this.ports.post({
        type: 'window',
        window: items === undefined ? window : { ...window, items: items() - this.itemsBefore },
      });
      return;
    }
    this.measuring = true;
    this.atBound = false;
    this.left = this.count;
    this.own.begin(sequencesEnded);
    this.startUs = nowUs();
    this.recorder.begin(this.startUs);
    this.itemsBefore = this.ports.items?.() ?? 0;
    this.ports.go(true);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  close(): void {
    clearTimeout(this.timer);
    this.own.close();
  }

  private checkEnd(): void {
    if (this.atBound || this.left > 0 || this.ports.underWay() > 0) return;
    this.atBound = true;
    this.ports.post({ type: 'bound', bound: this.measuring ? 2 : 1, answered: this.succeeded });
  }
}
