import { toWire } from '../contract/errors';
import { parseJson } from '../platform/parse-json';
import { createTritonClient, type RepositoryEntry, type TritonClient } from '../triton/client';
import { errorTextOf, requestTriton } from '../triton/http';
import { parseMetrics, type ReadMetrics, readMetrics } from '../triton/metrics';
import { type ServerTraits, traitsOfServer } from '../triton/open-inference';
import { type ModelStatistics, parseModelStatistics } from '../triton/statistics';
import type { TlsMaterial } from '../triton/tls';
import type { MonitorAddress } from './monitor-address';

export interface PollAnswer {
  readonly kind: 'answer';
  readonly ready: boolean;
  /** null unless requested. */
  readonly version: string | null;
  /** null unless requested. */
  readonly traits: ServerTraits | null;
  /** null without a model repository. */
  readonly index: readonly RepositoryEntry[] | null;
  /** null if statistics failed, see `hole`, or if the server has none. */
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
  /** What an earlier poll found; null: not known yet. */
  readonly traits: ServerTraits | null;
  /** A model to ask for by name, where the server lists none; null: none is known. */
  readonly model: { readonly name: string; readonly version: string } | null;
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

/** The probed model, of a server that lists none; null: none is probed. */
async function askedModel(
  client: TritonClient,
  { model, signal, deadlineMs: timeoutMs }: PollOptions,
): Promise<PollAnswer['index']> {
  if (model === null) return null;
  const { name, version } = model;
  const isReady = await client.modelReady(name, version, { signal, timeoutMs }).catch(() => false);
  return [{ name, version, state: isReady ? 'READY' : 'UNAVAILABLE' }];
}

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
  const nothing = { value: null, hole: null, readAtMs: performance.now() };
  const isWithout = options.traits?.statistics === false;
  const statistics = isWithout
    ? nothing
    : get(address.http, '/v2/models/stats', tls).then(
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
        (error: unknown) => ({
          value: null,
          hole: toPublicText(messageOf(error)),
          readAtMs: performance.now(),
        }),
      );
  const metrics = get(address.metrics, address.metricsPath, metricsTls).then(
    (response) =>
      response.status === 200
        ? { value: readMetrics(parseMetrics(response.body.toString('utf8'))), problem: null }
        : { value: null, problem: toPublicText(`${address.metrics} returns HTTP status ${response.status}`) },
    (error: unknown) => ({ value: null, problem: toPublicText(messageOf(error)) }),
  );
  const index = client.repositoryIndex(call).catch(() => null);
  const found = options.withVersion
    ? client.serverMetadata(call).then(traitsOfServer, () => null)
    : Promise.resolve(null);
  let ready: boolean;
  try {
    ready = await client.serverReady(call);
  } catch (error) {
    if (signal.aborted) throw error;
    return failureOf(error, address, performance.now() - startedMs, timeoutMs);
  }
  const [counted, measures, listed, traits] = await Promise.all([statistics, metrics, index, found]);
  // A server without counters has no gap where they are missing.
  const isCounted = (traits ?? options.traits)?.statistics !== false;
  const asked = listed === null && !isCounted ? await askedModel(client, options) : null;
  return {
    kind: 'answer',
    ready,
    version: traits?.version ?? null,
    traits,
    index: listed ?? asked,
    statistics: isCounted ? counted.value : null,
    hole: isCounted ? counted.hole : null,
    readAtMs: counted.readAtMs,
    metrics: measures.value,
    metricsProblem: measures.problem,
  };
}
