import { isStreamed } from '../../../contract/load/generation';
import { refusalOf } from '../../../domain/measured/overload/refusals';
import { outcome } from '../../../domain/measured/overload/timeline';
import { partLatencies } from '../../intervals';
import { LatencyHistogram } from '../../latency-histogram';
import { TokenRecorder } from '../../token-recorder';
import type { LoadJob, RecordedAnswers, RecordedWindow } from '../seam/load-job';
import { FailureCounter, type ResponseTimes } from '../seam/transport';
import { OutcomeRecorder } from './outcome-recorder';

/** Response times of streamed requests, in constant memory. */
class ResponseRecorder {
  private readonly first = new LatencyHistogram();
  private readonly between = new LatencyHistogram();
  private readonly final = new LatencyHistogram();
  private count = 0;
  private fewest = Infinity;
  private most = 0;

  clear(): void {
    this.first.clear();
    this.between.clear();
    this.final.clear();
    this.count = 0;
    this.fewest = Infinity;
    this.most = 0;
  }

  /** A request without content counts only for the final response. */
  add(startUs: number, { contentUs, finalUs }: ResponseTimes): void {
    this.final.add(finalUs - startUs);
    this.count += contentUs.length;
    this.fewest = Math.min(this.fewest, contentUs.length);
    this.most = Math.max(this.most, contentUs.length);
    let before = -1;
    for (const atUs of contentUs) {
      if (before < 0) this.first.add(atUs - startUs);
      else this.between.add(atUs - before);
      before = atUs;
    }
  }

  /** Structured-cloneable; shares the counts. */
  data(): RecordedAnswers {
    return {
      first: this.first.data(),
      between: this.between.data(),
      final: this.final.data(),
      count: this.count,
      fewest: this.fewest === Infinity ? 0 : this.fewest,
      most: this.most,
    };
  }
}

/** A send later than this counts as delayed; below is timer resolution. */
const delayedUs = 1000;

type OwnLoad = Pick<
  RecordedWindow,
  'loopUtilization' | 'loopDelayP99Us' | 'cpuUs' | 'cpuSpanUs' | 'sequencesEnded'
>;

type RecordedJob = Pick<LoadJob, 'schedule' | 'streaming' | 'keepsRequests' | 'keepsOutcomes' | 'generation'>;

/** Results of a window, in constant memory. */
export class WindowRecorder {
  private readonly keeps: boolean;
  private readonly isStreaming: boolean;
  private readonly latencies = new LatencyHistogram();
  private readonly scheduled: LatencyHistogram | null;
  private readonly several: ResponseRecorder | null;
  private readonly tokens: TokenRecorder | null;
  private readonly outcomes: OutcomeRecorder | null;
  private readonly block = new LatencyHistogram();
  private sendSumUs = 0;
  private recvSumUs = 0;
  private failed = 0;
  private delayed = 0;
  private failures = new FailureCounter();
  private blockCounts: number[] = [];
  private blockLatencies: RecordedWindow['blockLatencies'][number][] = [];
  private kept: number[] = [];
  private firstUs = -1;
  private startUs = 0;

  constructor(
    private readonly blockUs: number,
    { schedule, streaming, keepsRequests = false, keepsOutcomes = false, generation }: RecordedJob,
  ) {
    this.outcomes = keepsOutcomes ? new OutcomeRecorder() : null;
    this.scheduled = schedule === null ? null : new LatencyHistogram();
    this.keeps = keepsRequests;
    this.isStreaming = streaming;
    this.several = streaming && generation === undefined ? new ResponseRecorder() : null;
    this.tokens =
      generation === undefined
        ? null
        : new TokenRecorder(isStreamed(generation.endpoint), generation.budgets, generation.keepsTexts);
  }

  /** Ended requests, successful or not. */
  get ended(): number {
    return this.latencies.count + this.block.count + this.failed;
  }

  /** Latencies from the schedule in this window so far; null in a closed loop. */
  get scheduledSoFar(): { readonly count: number; readonly sumUs: number } | null {
    const { scheduled } = this;
    return scheduled === null ? null : { count: scheduled.count, sumUs: scheduled.count * scheduled.avgUs };
  }

  begin(startUs: number): void {
    if (this.firstUs < 0) this.firstUs = startUs;
    this.outcomes?.begin(this.firstUs);
    this.latencies.clear();
    this.scheduled?.clear();
    this.several?.clear();
    this.tokens?.clear();
    this.block.clear();
    this.sendSumUs = 0;
    this.recvSumUs = 0;
    this.failed = 0;
    this.delayed = 0;
    this.failures = new FailureCounter();
    this.blockCounts = [];
    this.blockLatencies = [];
    this.kept = [];
    this.startUs = startUs;
  }

  /** @param dueUs scheduled time; the send time in a closed loop */
  success(startUs: number, endUs: number, sendUs: number, recvUs: number, dueUs = startUs): void {
    const block = Math.floor((endUs - this.startUs) / this.blockUs);
    while (this.blockCounts.length < block) this.closeBlock();
    this.block.add(endUs - startUs);
    this.sendSumUs += sendUs;
    this.recvSumUs += recvUs;
    if (this.keeps && !this.isStreaming) this.kept.push(startUs, 1, endUs);
    this.outcomes?.add(dueUs, endUs, outcome.answered);
    if (this.scheduled === null) return;
    this.scheduled.add(endUs - dueUs);
    if (startUs - dueUs > delayedUs) this.delayed += 1;
  }

  /** For a request passed to `success`. */
  answers(startUs: number, times: ResponseTimes): void {
    this.several?.add(startUs, times);
    this.tokens?.add(startUs, times);
    if (this.keeps) this.kept.push(startUs, times.contentUs.length, ...times.contentUs);
  }

  failure(kind: string, message: string, dueUs: number, endUs: number): void {
    this.failed += 1;
    this.failures.add(kind, message);
    this.outcomes?.add(dueUs, endUs, refusalOf(kind, message) === null ? outcome.error : outcome.refused);
  }

  /** Ends the window; its memory is reused. */
  close(endUs: number, own: OwnLoad): RecordedWindow {
    const durationUs = endUs - this.startUs;
    // Timers are inexact, so the last part is rounded.
    const whole = Math.round(durationUs / this.blockUs);
    const closed = this.blockCounts.length;
    while (this.blockCounts.length < whole) this.closeBlock();
    this.latencies.merge(this.block);
    const lastBlockUs = closed < whole ? durationUs - (whole - 1) * this.blockUs : this.blockUs;
    return {
      durationUs,
      startUs: this.startUs - this.firstUs,
      latencies: this.latencies.data(),
      scheduled: this.scheduled?.data() ?? null,
      delayedCount: this.delayed,
      sendSumUs: this.sendSumUs,
      recvSumUs: this.recvSumUs,
      failures: this.failures.counts,
      blockCounts: this.blockCounts.slice(0, whole),
      blockLatencies: this.blockLatencies.slice(0, whole),
      blockUs: this.blockUs,
      answers: this.several?.data() ?? null,
      ...(this.tokens === null ? {} : { tokens: this.tokens.data() }),
      lastBlockUs,
      ...this.requestsUntil(endUs),
      ...(this.outcomes === null ? {} : { outcomes: this.outcomes.data() }),
      ...own,
    };
  }

  private requestsUntil(endUs: number): Pick<RecordedWindow, 'requests'> {
    if (!this.keeps) return {};
    const { startUs } = this;
    return {
      requests: {
        originUs: performance.timeOrigin * 1000,
        startUs,
        endUs,
        times: Float64Array.from(this.kept),
      },
    };
  }

  private closeBlock(): void {
    const { block } = this;
    this.blockCounts.push(block.count);
    this.blockLatencies.push(partLatencies(block));
    this.latencies.merge(block);
    block.clear();
  }
}
