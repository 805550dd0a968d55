import { type MessagePort, Worker } from 'node:worker_threads';
import { toWire, WorkbenchError } from '../../../contract/errors';
import { createReplay, createSchedule } from '../../../domain/arrivals/intervals';
import { refusalOf } from '../../../domain/measured/overload/refusals';
import { GrpcTransport } from '../grpc/transport';
import { TextTransport } from '../http1/text-transport';
import { HttpTransport } from '../http1/transport';
import { Http2Transport } from '../rest/http2-transport';
import type { FromWorker, LoadJob } from '../seam/load-job';
import {
  FailureCounter,
  nowUs,
  type ResponseTimes,
  type Transport,
  type TransportEvents,
} from '../seam/transport';
import { CountedWindow } from '../windows/counted-window';
import { type LoadWindows, WindowKeeper } from '../windows/window-keeper';
import { CancellingTransport } from './cancelling-transport';

/** Timer with sub-millisecond precision, which event loop timers lack. */
interface Pacer {
  /** Calls back once at this time, or immediately if it has passed; replaces an earlier time. */
  wakeAt(dueUs: number): void;
  close(): void;
}

/** Generation counter, and at byte 8 the wake-up time in nanoseconds of the monotonic clock. */
const sharedBytes = 16;
const dueAt = 1;

const systemNs = (): number => Number(process.hrtime.bigint());

/** Wakes this thread about 0.1 ms after a request is due. @param workerFile its entry, which calls {@link runPacer}. */
export function createPacer(workerFile: string, onDue: () => void): Pacer {
  const shared = new SharedArrayBuffer(sharedBytes);
  const signal = new Int32Array(shared, 0, 1);
  const due = new Float64Array(shared);
  due[dueAt] = Infinity;
  const thread = new Worker(workerFile, { workerData: shared });
  thread.on('message', onDue);
  return {
    wakeAt: (dueUs) => {
      due[dueAt] = systemNs() + (dueUs - performance.now() * 1000) * 1000;
      Atomics.add(signal, 0, 1);
      Atomics.notify(signal, 0);
    },
    close: () => {
      void thread.terminate();
    },
  };
}

/** Runs in the pacer thread; never returns. */
export function runPacer(shared: SharedArrayBuffer, port: Pick<MessagePort, 'postMessage'>): void {
  const signal = new Int32Array(shared, 0, 1);
  const due = new Float64Array(shared);
  for (;;) {
    const generation = Atomics.load(signal, 0);
    const leftMs = ((due[dueAt] ?? Infinity) - systemNs()) / 1e6;
    // A new time changes the generation, which ends or prevents the wait.
    if (leftMs > 0 && Atomics.wait(signal, 0, generation, leftMs) !== 'timed-out') continue;
    port.postMessage(null);
    Atomics.wait(signal, 0, generation);
  }
}

/** Without any response for this long the server is unreachable. */
const silenceLimitUs = 120e6;
const watchEveryMs = 1000;

interface GeneratorPorts {
  /** Copies the message, because window buffers are reused. */
  readonly post: (message: FromWorker) => void;
  readonly createPacer: (onDue: () => void) => Pacer;
}

/** Closed loop: a slot sends after its response. Open loop: any free slot sends when due; waiting counts as latency. */
export class LoadGenerator implements TransportEvents {
  private readonly transport: Transport;
  private readonly windows: LoadWindows;
  private readonly failures = new FailureCounter();
  private readonly watch: NodeJS.Timeout;
  private readonly dueUs: Float64Array;
  private readonly free: number[] = [];
  /** Slots waiting for shared memory. */
  private readonly parked: number[] = [];
  /** Slots of a closed loop that have not begun yet. */
  private readonly ramp: NodeJS.Timeout[] = [];
  private nextInterval: (() => number) | null;
  /** Of a trace: which request each slot sends, which is the next, and the items of those that succeeded. */
  private readonly requests: Int32Array;
  private nextRequest = 0;
  private items = 0;
  private pacer: Pacer | null = null;
  private nextDueUs = 0;
  private succeeded = 0;
  private stopping = false;
  private finished = false;
  private underWay = 0;
  private lastEndUs = nowUs();

  constructor(
    private readonly job: LoadJob,
    private readonly ports: GeneratorPorts,
  ) {
    this.nextInterval = job.schedule === null ? null : createSchedule(job.schedule);
    this.dueUs = new Float64Array(job.concurrency);
    this.requests = new Int32Array(job.concurrency);
    this.windows = this.windowsOf(job);
    this.transport = this.transportOf(job);
    this.watch = setInterval(() => this.checkSilence(), watchEveryMs);
  }

  start(): void {
    // Lowest slot last, so that it is used first: few connections carry light load.
    for (let slot = this.job.concurrency - 1; slot >= 0; slot -= 1) this.free.push(slot);
    this.windows.start();
  }

  private windowsOf(job: LoadJob): LoadWindows {
    const { post } = this.ports;
    const transport = () => this.transport;
    const go = (measured = false) => {
      this.go(measured);
    };
    if (job.exactRequests === undefined)
      return new WindowKeeper(job, transport, post, go, () => this.inFlight());
    return new CountedWindow(job, job.exactRequests, {
      transport,
      post,
      go,
      underWay: () => this.underWay,
      ...(job.replay === undefined ? {} : { items: () => this.items }),
    });
  }

  private transportOf(job: LoadJob): Transport {
    const made = (events: TransportEvents): Transport => {
      if (job.protocol === 'grpc') return new GrpcTransport(job, events);
      if (job.generation !== undefined) return new TextTransport(job, job.generation.endpoint, events);
      return job.httpVersion === '2' ? new Http2Transport(job, events) : new HttpTransport(job, events);
    };
    return job.cancellation === undefined
      ? made(this)
      : new CancellingTransport(made, this, job.cancellation);
  }

  /** Requests that are due and not answered, with those that wait for a slot. */
  private inFlight(): number {
    const rate = this.job.schedule?.rate ?? 0;
    return this.underWay + Math.max(0, ((nowUs() - this.nextDueUs) * rate) / 1e6);
  }

  /** Starts all free slots. */
  private go(measured: boolean): void {
    const { replay } = this.job;
    if (measured && replay !== undefined) {
      this.nextInterval = createReplay(replay.atUs);
      this.nextRequest = 0;
    }
    if (this.nextInterval === null) {
      this.goClosed(this.free.splice(0).reverse());
      return;
    }
    this.pacer ??= this.ports.createPacer(() => this.sendDue());
    this.nextDueUs = nowUs() + this.nextInterval();
    this.sendDue();
  }

  /** All slots at once, or one after the other. */
  private goClosed(slots: readonly number[]): void {
    const { rampUpMs = 0 } = this.job;
    const sendNext = (slot: number) => {
      if (!this.stopping && !this.finished) this.sendNext(slot);
    };
    for (const [index, slot] of slots.entries()) {
      const afterMs = (index * rampUpMs) / slots.length;
      if (afterMs === 0) this.sendNext(slot);
      else this.ramp.push(setTimeout(sendNext, afterMs, slot));
    }
  }

  stop(): void {
    this.stopping = true;
    for (const timer of this.ramp) clearTimeout(timer);
    this.windows.stop();
    for (const slot of this.free.splice(0)) this.endSequence(slot);
    if (this.underWay === 0) this.finish();
  }

  /** Ends the slot's open sequence; false without one. */
  private endSequence(slot: number): boolean {
    if (!this.transport.closeSequence(slot)) return false;
    this.send(slot);
    return true;
  }

  /** Continues slots that waited for shared memory, which is registered again. */
  resume(): void {
    for (const slot of this.parked.splice(0)) {
      this.underWay += 1;
      this.afterEnd(slot, nowUs());
    }
  }

  /** Passes on the server's count at a window bound. */
  cut(bound: number, succeeded: number | null): void {
    if (!this.stopping) this.windows.cut(bound, succeeded, this.underWay);
  }

  private isLostRegion(message: string): boolean {
    const { shared } = this.job;
    return shared !== null && (message.includes(shared.inputRegion) || message.includes(shared.outputRegion));
  }

  private send(slot: number): void {
    this.underWay += 1;
    this.transport.start(slot);
  }

  /** Closed loop only. */
  private sendNext(slot: number): void {
    if (this.windows.take()) this.send(slot);
    else this.free.push(slot);
  }

  /** Sends due requests while slots are free. */
  private sendDue(): void {
    if (this.nextInterval === null || this.stopping || this.finished) return;
    const presentUs = nowUs();
    while (this.nextDueUs <= presentUs) {
      const slot = this.free.at(-1);
      if (slot === undefined || !this.windows.take()) return;
      this.free.pop();
      this.dueUs[slot] = this.nextDueUs;
      this.requests[slot] = this.nextRequest;
      this.nextRequest += 1;
      this.nextDueUs += this.nextInterval();
      // Silence counts from the first request.
      if (this.underWay === 0) this.lastEndUs = presentUs;
      this.send(slot);
    }
    this.pacer?.wakeAt(this.nextDueUs);
  }

  success(
    slot: number,
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    answers?: ResponseTimes,
  ): void {
    this.succeeded += 1;
    this.items += this.sizeOf(this.requestOf(slot));
    const dueUs = this.nextInterval === null ? startUs : (this.dueUs[slot] ?? startUs);
    this.windows.success(startUs, endUs, sendUs, recvUs, dueUs, answers);
    this.afterEnd(slot, endUs);
  }

  requestOf(slot: number): number {
    return this.requests[slot] ?? 0;
  }

  /** Items of a request of the trace, which a warm-up begins anew after the last; without a trace 1. */
  private sizeOf(request: number): number {
    const { sizes } = this.job.replay ?? {};
    return sizes === undefined ? 1 : (sizes[request % sizes.length] ?? 1);
  }

  failure(slot: number, kind: string, message: string): void {
    const named = refusalOf(kind, message) ?? kind;
    this.failures.add(named, message);
    const endUs = nowUs();
    this.windows.failure(
      named,
      message,
      this.nextInterval === null ? endUs : (this.dueUs[slot] ?? endUs),
      endUs,
    );
    if (this.isLostRegion(message)) {
      if (this.parked.length === 0) this.ports.post({ type: 'regions-lost' });
      this.parked.push(slot);
      this.underWay -= 1;
      this.lastEndUs = endUs;
      if (this.stopping && this.underWay === 0) this.finish();
      return;
    }
    this.afterEnd(slot, endUs);
  }

  private afterEnd(slot: number, endUs: number): void {
    this.underWay -= 1;
    this.lastEndUs = endUs;
    if (this.finished) return;
    if (this.stopping) {
      if (!this.endSequence(slot) && this.underWay === 0) this.finish();
      return;
    }
    if (this.nextInterval === null) this.sendNext(slot);
    else {
      // Sequences rotate over slots, so that none becomes idle in the server; otherwise the lowest slots are preferred.
      if (this.job.sequences === null) this.free.push(slot);
      else this.free.unshift(slot);
      this.sendDue();
    }
    this.windows.requestEnded(endUs);
  }

  private checkSilence(): void {
    if (this.underWay === 0 || nowUs() - this.lastEndUs < silenceLimitUs) return;
    this.fatal(
      new WorkbenchError('server-unreachable', `No response within ${silenceLimitUs / 1e6} s`, {
        where: `${this.job.host}:${this.job.port}`,
      }),
    );
  }

  private finish(): void {
    if (this.end()) {
      this.ports.post({
        type: 'ended',
        totals: {
          succeeded: this.succeeded,
          failures: this.failures.counts,
          checks: this.transport.checks,
          outputs: this.transport.outputs,
          faults: this.transport.faults,
          opened: this.transport.opened,
        },
      });
    }
  }

  fatal(error: WorkbenchError): void {
    if (this.end()) this.ports.post({ type: 'failed', error: toWire(error) });
  }

  /** False if already ended. */
  private end(): boolean {
    if (this.finished) return false;
    this.finished = true;
    clearInterval(this.watch);
    for (const timer of this.ramp) clearTimeout(timer);
    this.windows.close();
    this.pacer?.close();
    this.transport.close();
    return true;
  }
}
