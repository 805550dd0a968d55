import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import type { Way, WayPart, WayRow } from '../../contract/measured/sent/way';
import { present } from '../../contract/trees';
import { confidenceSequence } from '../study/duel/confidence-sequence';

type ValueOf = (window: MeasurementWindow) => number | null;

const rows: readonly (readonly [WayPart, ValueOf])[] = [
  ['connect', ({ parts }) => parts?.connectUs ?? null],
  ['tls', ({ parts }) => parts?.tlsUs ?? null],
  ['send', ({ parts }) => parts?.sendUs ?? null],
  ['first-byte', ({ parts }) => parts?.firstByteUs ?? null],
  ['receive', ({ parts }) => parts?.receiveUs ?? null],
  ['latency', ({ requestCount, avgUs }) => (requestCount === 0 ? null : avgUs)],
  ['p99', ({ p99Us }) => p99Us],
  ['throughput', ({ inferencesPerSecond }) => inferencesPerSecond],
];

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** A way without TLS takes no time for it. */
const orNone = (part: WayPart, value: number | null, other: number | null): number | null =>
  part === 'tls' && value === null && other !== null ? 0 : value;

function rowOf(
  part: WayPart,
  valueOf: ValueOf,
  pairs: readonly (readonly [direct: MeasurementWindow, via: MeasurementWindow])[],
): WayRow {
  const known = pairs.flatMap(([one, other]) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    const [direct, via] = [orNone(part, a, b), orNone(part, b, a)];
    return direct === null || via === null ? [] : [{ direct, via }];
  });
  const last = confidenceSequence(known.map(({ direct, via }) => via - direct)).at(-1);
  return {
    part,
    direct: mean(known.map(({ direct }) => direct)),
    via: mean(known.map(({ via }) => via)),
    difference: last?.mean ?? null,
    half: last?.half ?? null,
  };
}

/** What a gateway adds, by looks in pairs that are close in time. Pure. */
export function wayRowsOf(
  direct: readonly MeasurementWindow[],
  via: readonly MeasurementWindow[],
): readonly WayRow[] {
  const pairs = direct
    .slice(0, via.length)
    .map((window, index) => [window, via[index] as MeasurementWindow] as const);
  // Without TLS on either side the row has nothing.
  return rows
    .map(([part, valueOf]) => rowOf(part, valueOf, pairs))
    .filter(({ part, direct: known }) => part !== 'tls' || known !== null);
}

/** The interval of the mean latency's difference is narrow enough: a part of it, or of the latency itself. */
const narrow = { ofDifference: 0.05, ofLatency: 0.02 };

/** Further looks would say no more. Pure. */
export function isWayTold(found: readonly WayRow[]): boolean {
  const latency = found.find(({ part }) => part === 'latency');
  if (latency === undefined || latency.half === null) return false;
  const { half, difference, direct } = latency;
  return half <= narrow.ofDifference * Math.abs(difference ?? 0) || half <= narrow.ofLatency * (direct ?? 0);
}

/** A level measured directly and through a gateway. Pure. */
export function wayOf(direct: LoadPoint, via: LoadPoint, address: string): Way {
  const [error] = via.errorsByKind ?? [];
  return {
    address,
    pairs: Math.min(direct.windows.length, via.windows.length),
    rows: [...wayRowsOf(direct.windows, via.windows)],
    requestCount: via.requestCount ?? 0,
    errorCount: via.errorCount,
    ...present({
      httpVersion: via.httpVersion,
      error: error && { kind: error.kind, message: error.message.slice(0, 500) },
    }),
  };
}
