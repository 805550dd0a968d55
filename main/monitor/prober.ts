import type { RequestHeader } from '../contract/address';
import { toWire } from '../contract/errors';
import type { ProbeFigures, ProbeSettings } from '../contract/monitor/monitor';
import { percentileOf } from '../perf/intervals';
import { createTritonClient } from '../triton/client';
import { type EncodedInferRequest, encodeInferRequest } from '../triton/infer-message';
import type { TlsMaterial } from '../triton/tls';
import type { ProbeResult } from './model-verdict';
import { probeInput, sendProbe } from './send-probe';

/** Percentiles are over the probes of this long. */
const windowMs = 60_000;

interface Probed {
  readonly endedMs: number;
  /** null: it failed. */
  readonly fromScheduleUs: number | null;
  readonly fromSendUs: number | null;
}

/** The probes of the last minute. */
class ProbeWindow {
  private probes: Probed[] = [];
  private worstUs: number | null = null;

  succeeded(endedMs: number, fromScheduleUs: number, fromSendUs: number): void {
    this.probes.push({ endedMs, fromScheduleUs, fromSendUs });
    this.worstUs = Math.max(this.worstUs ?? 0, fromScheduleUs);
  }

  failed(endedMs: number): void {
    this.probes.push({ endedMs, fromScheduleUs: null, fromSendUs: null });
  }

  /** As of now; the slowest since the last call is told once. */
  figures(nowMs: number): ProbeFigures {
    this.probes = this.probes.filter((probe) => probe.endedMs > nowMs - windowMs);
    const { worstUs } = this;
    this.worstUs = null;
    const sorted = (values: readonly (number | null)[]): Float64Array =>
      Float64Array.from(values.filter((value) => value !== null)).sort();
    const schedule = sorted(this.probes.map((probe) => probe.fromScheduleUs));
    const send = sorted(this.probes.map((probe) => probe.fromSendUs));
    const at = (values: Float64Array, percent: number): number | null =>
      values.length === 0 ? null : percentileOf(values, percent);
    return {
      count: this.probes.length,
      failures: this.probes.length - schedule.length,
      p50Us: at(schedule, 50),
      p95Us: at(schedule, 95),
      p99Us: at(schedule, 99),
      sendP99Us: at(send, 99),
      worstUs,
    };
  }
}

/** A model that has not answered by then counts as failing. */
const timeoutMs = 10_000;
/** Probes under way at once; more would be load. */
const mostUnderWay = 16;
/** How long after the last try a model that could not be asked about is asked about again. */
const retryMs = 1000;

export interface Prober {
  readonly settings: ProbeSettings;
  figures(): ProbeFigures;
  close(): void;
}

async function learnRequest(
  httpAddress: string,
  { tls, headers }: { readonly tls: TlsMaterial | null; readonly headers: readonly RequestHeader[] },
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<EncodedInferRequest> {
  const call = { timeoutMs: 2000, signal };
  const client = createTritonClient(httpAddress, { tls, headers });
  const metadata = await client.modelMetadata(settings.model, settings.version, call);
  const config = await client.modelConfig(settings.model, settings.version, call);
  return encodeInferRequest(probeInput(metadata, config.maxBatchSize > 0, settings));
}

/**
 * Sends small requests at a fixed rate, each when it is due, whether those before have been answered or not: a server
 * that stalls is not spared, and its stall is in every latency from the time that the probe was due.
 */
export function createProber(options: {
  readonly httpAddress: string;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  /** Go with every request. */
  readonly headers: readonly RequestHeader[];
  readonly settings: ProbeSettings;
  /** A probe has ended; not told of those that the server could not be reached for. */
  readonly onResult: (result: ProbeResult) => void;
  /** Why probes cannot be sent, or are refused; null when they are answered. */
  readonly onProblem: (problem: string | null) => void;
}): Prober {
  const { httpAddress, tls, headers, settings } = options;
  const controller = new AbortController();
  const window = new ProbeWindow();
  const periodMs = 1000 / settings.perSecond;
  const version = settings.version === '' ? '' : `/versions/${encodeURIComponent(settings.version)}`;
  const path = `/v2/models/${encodeURIComponent(settings.model)}${version}/infer`;
  let message: EncodedInferRequest | null = null;
  let underWay = 0;
  let dueMs = performance.now();
  let timer: NodeJS.Timeout | undefined;

  const send = (encoded: EncodedInferRequest, scheduledMs: number): void => {
    if (underWay >= mostUnderWay) {
      window.failed(performance.now());
      options.onResult({ ok: false, reason: `${underWay} probes are waiting for a response` });
      return;
    }
    underWay += 1;
    const sentMs = performance.now();
    void sendProbe(httpAddress, path, encoded, { timeoutMs, signal: controller.signal, tls, headers }).then(
      (outcome) => {
        underWay -= 1;
        if (controller.signal.aborted) return;
        const endedMs = performance.now();
        if (outcome.kind === 'ok') {
          window.succeeded(endedMs, (endedMs - scheduledMs) * 1000, (endedMs - sentMs) * 1000);
          options.onProblem(null);
          options.onResult({ ok: true });
          return;
        }
        window.failed(endedMs);
        // Other dimensions after a reload, or a request that this model cannot take: learn anew.
        if (outcome.kind === 'refused') {
          message = null;
          options.onProblem(`Refused: ${outcome.reason}`);
        } else if (outcome.kind === 'failed') options.onResult({ ok: false, reason: outcome.reason });
      },
    );
  };

  const learn = async (): Promise<void> => {
    message = await learnRequest(httpAddress, { tls, headers }, settings, controller.signal);
  };

  const tick = (): void => {
    if (controller.signal.aborted) return;
    const now = performance.now();
    if (message !== null) {
      send(message, dueMs);
      // What was due while this process slept is not sent in a burst.
      dueMs = Math.max(dueMs + periodMs, now);
      timer = setTimeout(tick, Math.max(0, dueMs - performance.now()));
      return;
    }
    learn().then(
      () => {
        dueMs = performance.now();
        tick();
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        options.onProblem(toWire(error).message);
        timer = setTimeout(tick, retryMs);
      },
    );
  };
  tick();
  return {
    settings,
    figures: () => window.figures(performance.now()),
    close: () => {
      controller.abort();
      clearTimeout(timer);
    },
  };
}
