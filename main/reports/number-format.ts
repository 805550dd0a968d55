import { formatMs as formatShownMs, formatRate as formatShownRate } from '../contract/numbers';

/** Shown for every value that is missing or is not a finite number. */
export const missing = '–';

type Maybe = number | null | undefined;

const isNumber = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

/** Fixed decimals with thousands separators. A value above zero that would read as zero reads "<0.01". */
export function formatFixed(value: Maybe, decimals: number): string {
  if (!isNumber(value)) return missing;
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  if (value > 0 && Number(value.toFixed(decimals)) === 0) return `<${(10 ** -decimals).toFixed(decimals)}`;
  return text;
}

export function formatCount(value: Maybe): string {
  return formatFixed(value, 0);
}

/** Microseconds shown as milliseconds, without the unit. */
export function formatMs(us: Maybe, decimals: number): string {
  return formatFixed(isNumber(us) ? us / 1000 : null, decimals);
}

/** Differences and tolerances: up to three significant digits, powers of ten outside 0.001 … 9,999. */
export function formatScale(value: Maybe): string {
  if (!isNumber(value)) return missing;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 0.001 && size < 10_000) return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
  return value.toExponential(1).replace(/\.0e/, 'e').replace('e+', 'e');
}

/** Metrics (fractions as a rule): three decimals. */
export function formatMetric(value: Maybe): string {
  return formatFixed(value, 3);
}

/** How far apart two metrics are at most: rounded up, so that "within" stays true. */
export function formatMetricDelta(delta: number): string {
  return formatFixed(Math.max(0, Math.ceil(Math.abs(delta) * 1000 - 1e-6)) / 1000, 3);
}

/** Throughput as people quote it, as everywhere. */
export function formatRate(perSecond: Maybe): string {
  return isNumber(perSecond) ? formatShownRate(perSecond) : missing;
}

/** One latency as people quote it, in ms without the unit. */
export function formatLatency(us: Maybe): string {
  return isNumber(us) ? formatShownMs(us) : missing;
}

/** Microseconds as "4 µs", "820 ms", "12.3 s" or "2 min 05 s". */
export function formatDuration(us: Maybe): string {
  if (!isNumber(us)) return missing;
  if (us < 1000) return `${formatFixed(us, 0)} µs`;
  if (us < 999_500) return `${formatFixed(us / 1000, 0)} ms`;
  if (us < 59_950_000) return `${formatFixed(us / 1e6, 1)} s`;
  const seconds = Math.round(us / 1e6);
  const minutes = Math.floor(seconds / 60);
  const rest = (count: number) => String(count).padStart(2, '0');
  if (minutes < 60) return `${minutes} min ${rest(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${rest(minutes % 60)} min`;
}

export function formatBytes(bytes: Maybe): string {
  if (!isNumber(bytes)) return missing;
  if (bytes < 1024 ** 2) return `${formatFixed(bytes / 1024, 1)} KiB`;
  if (bytes < 1024 ** 3) return `${formatFixed(bytes / 1024 ** 2, 1)} MiB`;
  return `${formatFixed(bytes / 1024 ** 3, 1)} GiB`;
}

/** ISO 8601 as "2025-11-21 08:17 UTC"; text that is no time is given back as it is. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
