import { type SlowRequests, type TracedPart, tracePhases } from '../../../contract/measured/slow-requests';
import { intervalOf, partsOf, type SpanPart, type TracedSpan } from './traced-span';

/** Share of the requests that are the slowest. */
const slowShare = 0.05;
/** Share of the requests around the median. */
const medianShare = 0.2;
/** Slowest requests that are listed. */
const mostListed = 10;

interface Request {
  readonly span: TracedSpan;
  readonly totalUs: number;
}

type Means = ReadonlyMap<string, { readonly part: Pick<SpanPart, 'model' | 'phase'>; readonly us: number }>;

const keyOf = ({ model, phase }: Pick<SpanPart, 'model' | 'phase'>): string => JSON.stringify([model, phase]);

function meansOf(requests: readonly Request[]): Means {
  const means = new Map<string, { part: SpanPart; us: number }>();
  for (const { span } of requests) {
    for (const part of partsOf(span)) {
      const key = keyOf(part);
      means.set(key, { part, us: (means.get(key)?.us ?? 0) + part.us / requests.length });
    }
  }
  return means;
}

const meanTotal = (requests: readonly Request[]): number =>
  requests.reduce((sum, { totalUs }) => sum + totalUs / requests.length, 0);

/** The model that was asked first, then what it sent on, then what comes after that. */
function orderOf({ model, phase }: Pick<SpanPart, 'model' | 'phase'>, models: readonly string[]): number {
  const at = tracePhases.indexOf(phase);
  if (model !== null) return 100 * (1 + models.indexOf(model)) + at;
  const isAfter = phase === 'send' || phase === 'other';
  return (isAfter ? 100 * (models.length + 2) : 0) + at;
}

function partsIn(median: Means, slow: Means): TracedPart[] {
  const named = new Map([...median, ...slow].map(([key, { part }]) => [key, part] as const));
  const models = [...new Set([...named.values()].flatMap(({ model }) => model ?? []))];
  return [...named]
    .map(([key, { model, phase }]) => ({
      ...{ model, phase },
      medianUs: median.get(key)?.us ?? 0,
      slowUs: slow.get(key)?.us ?? 0,
    }))
    .sort((a, b) => orderOf(a, models) - orderOf(b, models));
}

const noPart = { model: null, phase: 'other', us: 0 } as const;

const longestPart = (span: TracedSpan): SpanPart =>
  partsOf(span).reduce<SpanPart>((longest, part) => (part.us > longest.us ? part : longest), noPart);

function protocolOf(spans: readonly TracedSpan[]): SlowRequests['protocol'] {
  const names = new Set(spans.flatMap(({ marks }) => marks.map(({ name }) => name.slice(0, 5))));
  if (names.has('GRPC_')) return 'grpc';
  return names.has('HTTP_') ? 'http' : null;
}

function ofModel(model: string, spans: readonly TracedSpan[]): SlowRequests | null {
  const requests = spans
    .flatMap((span) => {
      const whole = intervalOf(span);
      return whole === null ? [] : [{ span, totalUs: whole.toUs - whole.fromUs }];
    })
    .sort((a, b) => a.totalUs - b.totalUs);
  const { length } = requests;
  if (length === 0) return null;
  const slow = requests.slice(length - Math.max(1, Math.round(length * slowShare)));
  const half = Math.max(1, Math.round(length * medianShare)) / 2;
  const median = requests.slice(Math.floor(length / 2 - half), Math.ceil(length / 2 + half));
  return {
    model,
    protocol: protocolOf(spans),
    requests: length,
    incomplete: spans.length - length,
    medianCount: median.length,
    slowCount: slow.length,
    medianUs: meanTotal(median),
    slowUs: meanTotal(slow),
    parts: partsIn(meansOf(median), meansOf(slow)),
    slowest: requests
      .slice(-mostListed)
      .toReversed()
      .map(({ span, totalUs }) => ({ requestId: span.requestId, totalUs, longest: longestPart(span) })),
  };
}

/** By the model that was asked, the one with the most requests first. Pure; empty where no request is complete. */
export function slowRequestsOf(spans: readonly TracedSpan[]): readonly SlowRequests[] {
  const byModel = new Map<string, TracedSpan[]>();
  for (const span of spans) {
    const known = byModel.get(span.model);
    if (known === undefined) byModel.set(span.model, [span]);
    else known.push(span);
  }
  return [...byModel]
    .flatMap(([model, ofIt]) => ofModel(model, ofIt) ?? [])
    .sort((a, b) => b.requests - a.requests);
}
