import type { TracePhase } from '../../../contract/measured/slow-requests';
import { largestOf, smallestOf } from '../../statistics';

/** A request to one model as a trace has it, with those that its model sent on. */
export interface TracedSpan {
  readonly model: string;
  /** null: it has none. */
  readonly requestId: string | null;
  /** Microseconds from any start, by the names of Triton's time stamps. */
  readonly marks: readonly Mark[];
  readonly children: readonly TracedSpan[];
}

export interface Mark {
  readonly name: string;
  readonly atUs: number;
}

/** The phase that begins with a time stamp, in the order of a request. GRPC_WAITREAD_START is of the wait for one. */
const begins: readonly (readonly [name: string, phase: TracePhase])[] = [
  ['HTTP_RECV_START', 'receive'],
  ['HTTP_RECV_END', 'other'],
  ['GRPC_WAITREAD_END', 'other'],
  ['REQUEST_START', 'other'],
  ['QUEUE_START', 'queue'],
  ['COMPUTE_START', 'input'],
  ['COMPUTE_INPUT_END', 'infer'],
  ['COMPUTE_OUTPUT_START', 'output'],
  ['COMPUTE_END', 'other'],
  ['REQUEST_END', 'other'],
  ['HTTP_SEND_START', 'send'],
  ['GRPC_SEND_START', 'send'],
];
const rankOf = new Map(begins.map(([name], rank) => [name, rank]));
const lastToBegin = rankOf.get('REQUEST_START') ?? 0;
const sendEnds: ReadonlySet<string> = new Set(['HTTP_SEND_END', 'GRPC_SEND_END']);

export const isTraceMark = (name: string): boolean => rankOf.has(name) || sendEnds.has(name);

interface Interval {
  readonly fromUs: number;
  readonly toUs: number;
}

interface Segment extends Interval {
  readonly phase: TracePhase;
}

/** null: the trace lacks its beginning or its end. */
export function intervalOf({ marks }: Pick<TracedSpan, 'marks'>): Interval | null {
  const first = marks.filter(({ name }) => (rankOf.get(name) ?? Infinity) <= lastToBegin);
  const ends = marks.filter(({ name }) => sendEnds.has(name));
  const last = ends.length > 0 ? ends : marks.filter(({ name }) => name === 'REQUEST_END');
  if (first.length === 0 || last.length === 0) return null;
  const fromUs = smallestOf(first.map(({ atUs }) => atUs));
  const toUs = largestOf(last.map(({ atUs }) => atUs));
  return toUs >= fromUs ? { fromUs, toUs } : null;
}

/** An ensemble is queued for its steps, and has no execution of its own. */
const queuesItself = ({ marks, children }: TracedSpan): boolean =>
  children.length === 0 || marks.some(({ name }) => name === 'COMPUTE_START');

/** Phases from the first time stamp of each to the next. Late ones of an earlier phase (REQUEST_END while sending) do not count. */
function segmentsOf(span: TracedSpan, { fromUs, toUs }: Interval): readonly Segment[] {
  const isQueued = queuesItself(span);
  const ordered = span.marks
    .map(({ name, atUs }) => ({ rank: rankOf.get(name) ?? -1, atUs }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.atUs - b.atUs || a.rank - b.rank);
  const segments: Segment[] = [];
  let [rank, startUs, phase]: [number, number, TracePhase] = [-1, fromUs, 'other'];
  const close = (atUs: number): void => {
    const endUs = Math.min(atUs, toUs);
    if (endUs > startUs) segments.push({ phase, fromUs: startUs, toUs: endUs });
    startUs = Math.max(startUs, endUs);
  };
  for (const mark of ordered) {
    if (mark.rank <= rank) continue;
    close(mark.atUs);
    rank = mark.rank;
    const begun = begins[rank]?.[1] ?? 'other';
    phase = begun === 'queue' && !isQueued ? 'other' : begun;
  }
  close(toUs);
  return segments;
}

interface OnPath extends Interval {
  readonly span: TracedSpan;
}

/**
 * The children that the request waited for, one after the other, from its end back: each began when the one before it
 * ended. Those beside them took none of its time.
 */
function waitedFor(children: readonly TracedSpan[], { fromUs, toUs }: Interval): readonly OnPath[] {
  let left = children.flatMap((span) => {
    const interval = intervalOf(span);
    return interval === null ? [] : [{ span, ...interval }];
  });
  const path: OnPath[] = [];
  let atUs = toUs;
  for (;;) {
    const beforeUs = atUs;
    left = left.filter((child) => child.fromUs < beforeUs);
    const distance = ({ toUs: endUs }: OnPath): number =>
      path.length === 0 ? -endUs : Math.abs(endUs - beforeUs);
    const [next] = left.toSorted((a, b) => distance(a) - distance(b) || a.fromUs - b.fromUs);
    if (next === undefined || next.toUs <= fromUs) return path;
    const child = {
      span: next.span,
      fromUs: Math.max(fromUs, next.fromUs),
      toUs: Math.min(beforeUs, next.toUs),
    };
    path.push(child);
    if (child.fromUs <= fromUs) return path;
    atUs = child.fromUs;
  }
}

const overlapUs = (a: Interval, b: Interval): number =>
  Math.max(0, Math.min(a.toUs, b.toUs) - Math.max(a.fromUs, b.fromUs));

export interface SpanPart {
  /** null: the requested model. */
  readonly model: string | null;
  readonly phase: TracePhase;
  readonly us: number;
}

function addParts(
  span: TracedSpan,
  model: string | null,
  within: Interval,
  parts: Map<string, SpanPart>,
): void {
  const path = waitedFor(span.children, within);
  for (const segment of segmentsOf(span, within)) {
    const own =
      segment.toUs - segment.fromUs - path.reduce((sum, child) => sum + overlapUs(segment, child), 0);
    const key = JSON.stringify([model, segment.phase]);
    const us = Math.max(0, own) + (parts.get(key)?.us ?? 0);
    parts.set(key, { model, phase: segment.phase, us });
  }
  for (const child of path.toReversed()) addParts(child.span, child.span.model, child, parts);
}

/** Its time by model and phase, which add up to it; empty for an incomplete one. */
export function partsOf(span: TracedSpan): readonly SpanPart[] {
  const whole = intervalOf(span);
  const parts = new Map<string, SpanPart>();
  if (whole !== null) addParts(span, null, whole, parts);
  return [...parts.values()].filter(({ us }) => us > 0);
}
