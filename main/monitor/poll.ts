import { toWire } from '../contract/errors';
import { parseJson } from '../platform/parse-json';
import { createTritonClient, type RepositoryEntry } from '../triton/client';
import { errorTextOf, requestTriton } from '../triton/http';
import { parseMetrics, type ReadMetrics, readMetrics } from '../triton/metrics';
import { type ModelStatistics, parseModelStatistics } from '../triton/statistics';
import type { TlsMaterial } from '../triton/tls';
import type { MonitorAddress } from './monitor-address';

export interface PollAnswer {
  readonly kind: 'answer';
  readonly ready: boolean;
  /** null unless requested. */
  readonly version: string | null;
  /** null without a model repository. */
  readonly index: readonly RepositoryEntry[] | null;
  /** null if statistics failed; see `hole`. */
  readonly statistics: readonly ModelStatistics[] | null;
  readonly hole: string | null;
  readonly metrics: ReadMetrics | null;
  readonly metricsProblem: string | null;
  /** When statistics arrived, ms of the monotonic clock. */
  readonly readAtMs: number;
}

/** `refused`: connection refused. */
export interface PollFailure {
  readonly kind: 'refused' | 'timeout' | 'unreachable';
  readonly reason: string;
}

interface PollOptions {
  readonly deadlineMs: number;
  readonly withVersion: boolean;
  readonly signal: AbortSignal;
}

function codeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return code;
  }
  return undefined;
}

function failureOf(
  error: unknown,
  { hostProblem, toPublicText }: MonitorAddress,
  tookMs: number,
  deadlineMs: number,
): PollFailure {
  const away = hostProblem();
  if (away !== null) return { kind: 'unreachable', reason: away };
  const reason = toPublicText(toWire(error).message);
  if (codeOf(error) !== undefined)
    return { kind: 'refused', reason: `${reason}. No process listens on this address.` };
  return { kind: tookMs >= deadlineMs * 0.95 ? 'timeout' : 'unreachable', reason };
}

const messageOf = (error: unknown): string => toWire(error).message;

/** All requests in parallel. Rejects only when the signal fires. */
export async function pollServer(
  address: MonitorAddress,
  options: PollOptions,
): Promise<PollAnswer | PollFailure> {
  const { signal, deadlineMs: timeoutMs } = options;
  const startedMs = performance.now();
  const { tls, metricsTls, headers, toPublicText } = address;
  const own = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  const client = createTritonClient(address.http, { timeoutMs, tls, headers });
  const call = { signal, timeoutMs };
  const get = (host: string, path: string, over: TlsMaterial | null) =>
    requestTriton(host, { method: 'GET', path, timeoutMs, signal, headers: own, tls: over });
  const statistics = get(address.http, '/v2/models/stats', tls).then(
    (response) => {
      const readAtMs = performance.now();
      if (response.status !== 200) return { value: null, hole: errorTextOf(response), readAtMs };
      try {
        const reply = parseJson(response.body.toString('utf8'));
        return { value: parseModelStatistics(reply), hole: null, readAtMs };
      } catch (error) {
        return { value: null, hole: messageOf(error), readAtMs };
      }
    },
    (error: unknown) => ({ value: null, hole: toPublicText(messageOf(error)), readAtMs: performance.now() }),
  );
  const metrics = get(address.metrics, address.metricsPath, metricsTls).then(
    (response) =>
      response.status === 200
        ? { value: readMetrics(parseMetrics(response.body.toString('utf8'))), problem: null }
        : { value: null, problem: toPublicText(`${address.metrics} returns HTTP status ${response.status}`) },
    (error: unknown) => ({ value: null, problem: toPublicText(messageOf(error)) }),
  );
  const index = client.repositoryIndex(call).catch(() => null);
  const version = options.withVersion
    ? client.serverMetadata(call).then(
        (metadata) => metadata.version,
        () => null,
      )
    : Promise.resolve(null);
  let ready: boolean;
  try {
    ready = await client.serverReady(call);
  } catch (error) {
    if (signal.aborted) throw error;
    return failureOf(error, address, performance.now() - startedMs, timeoutMs);
  }
  const [counted, measures, listed, named] = await Promise.all([statistics, metrics, index, version]);
  return {
    kind: 'answer',
    ready,
    version: named,
    index: listed,
    statistics: counted.value,
    hole: counted.hole,
    readAtMs: counted.readAtMs,
    metrics: measures.value,
    metricsProblem: measures.problem,
  };
}
