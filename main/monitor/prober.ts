import { request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { RequestHeader } from '../contract/address';
import { toWire } from '../contract/errors';
import { type Datatype, datatypeBytes } from '../contract/measured/input-data';
import type { ProbeFigures, ProbeSettings } from '../contract/monitor/monitor';
import { createRandom } from '../domain/random';
import { rawValues, requireShapedInputs } from '../perf/generate-input';
import { percentileOf } from '../perf/intervals';
import { createTritonClient, type ModelMetadata } from '../triton/client';
import { errorWords } from '../triton/http';
import { recognizeServer } from '../triton/open-inference';
import { type EncodedInferRequest, encodeInferRequest, encodeJsonRequest } from '../triton/plain-message';
import { countToMake, elementBytes, type Tensor, zeroTensor } from '../triton/tensor';
import { tlsConnection, type TlsMaterial } from '../triton/tls';
import type { ProbeResult } from './model-verdict';

/** `refused`: HTTP 4xx, which says nothing about the model's health. */
type ProbeOutcome =
  { readonly kind: 'ok' } | { readonly kind: 'failed' | 'refused' | 'unreachable'; readonly reason: string };

/** Limit of error replies; successful replies are discarded. */
const mostErrorBytes = 4096;

/** One inference over its own connection, because Triton waits for idle connections when it stops. Never rejects. */
function sendProbe(
  address: string,
  path: string,
  message: EncodedInferRequest,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly tls: TlsMaterial | null;
    readonly headers?: readonly RequestHeader[];
  },
): Promise<ProbeOutcome> {
  const { tls, headers = [] } = options;
  const own = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const sent = (tls === null ? request : requestOverTls)(
      {
        ...(tls === null ? {} : tlsConnection(tls, host)),
        host,
        port: port === '' ? 80 : Number(port),
        method: 'POST',
        path,
        agent: false,
        headers: {
          ...own,
          ...message.headers,
          'Content-Length': String(message.body.length),
          Connection: 'close',
        },
        signal: options.signal,
        timeout: options.timeoutMs,
      },
      (response) => {
        const status = response.statusCode ?? 0;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          if (status !== 200 && text.length < mostErrorBytes) text += chunk.toString('utf8');
        });
        response.on('end', () => {
          if (status === 200) resolve({ kind: 'ok' });
          else
            resolve({
              kind: status >= 500 ? 'failed' : 'refused',
              reason: errorWords(text === '' ? `HTTP status ${status}` : text),
            });
        });
        response.on('error', (error) => resolve({ kind: 'unreachable', reason: error.message }));
      },
    );
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', reason: `No answer within ${options.timeoutMs / 1000} s` });
      sent.destroy();
    }, options.timeoutMs);
    sent.on('close', () => clearTimeout(timer));
    sent.on('error', (error) => resolve({ kind: 'unreachable', reason: error.message }));
    sent.end(message.body);
  });
}

const seed = 20210721;
/** Default of Triton's `--http-max-input-size`. */
const mostProbeBytes = 64 * 2 ** 20;

/**
 * A request from model metadata: batch 1, variable dimensions 1 unless given, empty text. `batched`: first dimension is
 * the batch. Throws input-invalid above 64 MiB, and for shapes of unknown inputs.
 */
export function probeInput(
  metadata: Pick<ModelMetadata, 'inputs'>,
  batched: boolean,
  settings: Pick<ProbeSettings, 'input' | 'shapes'>,
): readonly Tensor[] {
  requireShapedInputs(settings.shapes, metadata.inputs);
  const next = createRandom(seed);
  let room = mostProbeBytes;
  const made = (name: string, datatype: string, shape: readonly number[], mostBytes: number): Tensor => {
    if (settings.input === 'zero' || !Object.hasOwn(datatypeBytes, datatype))
      return zeroTensor(name, datatype, shape, mostBytes);
    const count = countToMake({ name, datatype, shape }, elementBytes(datatype) ?? 1, mostBytes);
    return { name, datatype, shape, data: rawValues(datatype as Datatype, count, next) };
  };
  return metadata.inputs.map(({ name, datatype, shape }) => {
    const item = (batched ? shape.slice(1) : shape).map((size) => (size < 0 ? 1 : size));
    const dims = settings.shapes[name] ?? item;
    const whole = batched ? [1, ...dims] : dims;
    const tensor = made(name, datatype, whole, room);
    room -= tensor.data.byteLength;
    return tensor;
  });
}

const windowMs = 60_000;

interface Probed {
  readonly endedMs: number;
  /** null: failed. */
  readonly fromScheduleUs: number | null;
  readonly fromSendUs: number | null;
}

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

  /** The maximum is since the last call. */
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

/** Timeout after which a model counts as failing. */
const timeoutMs = 10_000;
const mostUnderWay = 16;
/** Retry delay after failed metadata requests. */
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
  const { client, traits } = await recognizeServer(createTritonClient(httpAddress, { tls, headers }), call);
  const metadata = await client.modelMetadata(settings.model, settings.version, call);
  const config = await client.modelConfig(settings.model, settings.version, call);
  const inputs = probeInput(metadata, config.maxBatchSize > 0, settings);
  return traits.binaryTensors ? encodeInferRequest(inputs) : encodeJsonRequest(inputs);
}

/** Fixed rate regardless of responses (open loop), with latencies from the due time, so that stalls show in full. */
export function createProber(options: {
  readonly httpAddress: string;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
  /** Sent with every request. */
  readonly headers: readonly RequestHeader[];
  readonly settings: ProbeSettings;
  /** A probe ended; not called for unreachable servers. */
  readonly onResult: (result: ProbeResult) => void;
  /** Why probes cannot be sent or are refused; null when answered. */
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
        // Dimensions may have changed with a reload: read metadata again.
        if (outcome.kind === 'refused') {
          message = null;
          options.onProblem(`Refused: ${outcome.reason}`);
        } else if (outcome.kind === 'failed') options.onResult({ ok: false, reason: outcome.reason });
      },
    );
  };

  const tick = (): void => {
    if (controller.signal.aborted) return;
    const now = performance.now();
    if (message !== null) {
      send(message, dueMs);
      // No burst after the process slept.
      dueMs = Math.max(dueMs + periodMs, now);
      timer = setTimeout(tick, Math.max(0, dueMs - performance.now()));
      return;
    }
    learnRequest(httpAddress, { tls, headers }, settings, controller.signal).then(
      (learnt) => {
        message = learnt;
        dueMs = performance.now();
        tick();
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        const { code, message, remedy } = toWire(error);
        options.onProblem(
          code === 'input-invalid' && remedy !== undefined ? `${message}. ${remedy}` : message,
        );
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
