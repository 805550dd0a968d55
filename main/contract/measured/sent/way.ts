import { z } from 'zod';
import { later } from '../../later';
import { formatMs, formatRate, formatShortShare, missing } from '../../numbers';
import { httpVersions } from '../../run/run-spec';

const usOrNull = z.number().min(0).nullable();

/** Means of a window, in microseconds; connections are those that its turn opened. null: not known, or no TLS. */
export const latencyPartsSchema = later(() =>
  z.object({
    connectUs: usOrNull,
    tlsUs: usOrNull,
    sendUs: z.number().min(0),
    /** From the end of the send to the first byte of the response's body. */
    firstByteUs: z.number().min(0),
    receiveUs: z.number().min(0),
  }),
);

const wayParts = ['connect', 'tls', 'send', 'first-byte', 'receive', 'latency', 'p99', 'throughput'] as const;
export type WayPart = (typeof wayParts)[number];

const wayRowSchema = later(() =>
  z.object({
    part: z.enum(wayParts),
    /** Means of the looks: microseconds, of the throughput inferences per second; null: not known. */
    direct: z.number().min(0).nullable(),
    via: z.number().min(0).nullable(),
    /** Through the gateway minus direct, mean of the pairs of looks. */
    difference: z.number().nullable(),
    /** Half-width of its 95 % interval, valid whenever one looks; null: too few pairs. */
    half: z.number().min(0).nullable(),
  }),
);
export type WayRow = z.infer<typeof wayRowSchema>;

/** What the way through a gateway adds to a level, part by part. */
export const waySchema = later(() =>
  z.object({
    /** "https://gateway:443". */
    address: z.string(),
    /** Of HTTP through the gateway; absent with gRPC. */
    httpVersion: z.enum(httpVersions).optional(),
    pairs: z.int().min(0),
    rows: z.array(wayRowSchema),
    /** Through the gateway. */
    requestCount: z.int().min(0),
    errorCount: z.int().min(0),
    /** The first error of the gateway; absent: none. */
    error: z.object({ kind: z.string(), message: z.string() }).optional(),
  }),
);
export type Way = z.infer<typeof waySchema>;

/** With its unit: "5.02 ms". */
export const wayAmount = (part: WayPart, value: number): string =>
  part === 'throughput' ? `${formatRate(value)} inferences/s` : `${formatMs(value)} ms`;

const signed = (part: WayPart, value: number): string =>
  `${value < 0 ? '−' : '+'}${wayAmount(part, Math.abs(value))}`;

/** "+5.02 ms ± 0.07 ms"; "–" where it is not known. */
export function differenceText({ part, difference, half }: WayRow): string {
  if (difference === null) return missing;
  const interval = half === null ? '' : ` ± ${wayAmount(part, half)}`;
  return `${signed(part, difference)}${interval}`;
}

/** "Through http://gateway:80 the mean latency is 5.02 ms ± 0.07 ms higher, after 20 pairs of measurements; its throughput is 41 % of the direct one." */
export function wayText({ address, pairs, rows, errorCount, error }: Way): string {
  const rowOf = (part: WayPart) => rows.find((row) => row.part === part);
  const [latency, throughput] = [rowOf('latency'), rowOf('throughput')];
  const failed =
    error === undefined ? '' : ` ${errorCount} requests failed there: ${error.kind}: ${error.message}.`;
  if (latency === undefined || latency.difference === null)
    return `Through ${address} nothing was measured.${failed}`;
  const { difference, half } = latency;
  const interval = half === null ? ', with an interval that is not known yet' : ` ± ${formatMs(half)} ms`;
  const isClear = half !== null && Math.abs(difference) > half;
  const how = isClear
    ? `${formatMs(Math.abs(difference))} ms${interval} ${difference > 0 ? 'higher' : 'lower'}`
    : `the direct one to within the noise (${differenceText(latency)})`;
  const share =
    throughput?.via === undefined || throughput.via === null || (throughput.direct ?? 0) === 0
      ? ''
      : `; its throughput is ${formatShortShare(throughput.via / (throughput.direct ?? 1))} of the direct one`;
  return `Through ${address} the mean latency is ${how}, after ${pairs} pairs of measurements${share}.${failed}`;
}
