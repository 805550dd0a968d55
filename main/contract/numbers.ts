/**
 * The one rounding. Window, report, command line, monitor and preflight print every number through this file, en-US, so that
 * a value reads the same wherever it is shown:
 *
 * - measured values (rates, times, ratios): three significant digits or more: 0.123, 1.23, 12.34, 123.4, 1,234
 * - times of requests: milliseconds by that rule; time spent: "820 ms", "12.3 s", "2 min 05 s", "1 h 02 min"
 * - half the width of an interval: with the decimals of its value: 12.00 ± 0.40
 * - counts: whole, thousands separated; shares: "12.3 %"; bytes: "12.0 MiB"
 * - metrics: four decimals; differences and tolerances: three significant digits, powers of ten outside 0.001 … 9,999
 * - a value above zero never reads as zero: "<0.001"; a value that is not known reads {@link missing}
 *
 * Files get the values of {@link exactMs} and {@link exactRate}, and people see those rounded: rounding what a file says
 * gives what the window shows.
 */

/** Shown for every value that is missing or is not a finite number. */
export const missing = '–';

type Maybe = number | null | undefined;

const isNumber = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

type Digits = 0 | 1 | 2 | 3 | 4;
const grouped = (digits: Digits): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
/** Made once: `toLocaleString` with options makes one each time. */
const typed = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const formats = [grouped(0), grouped(1), grouped(2), grouped(3), grouped(4)] as const;

/** Fixed decimals with thousands separators. */
export function formatFixed(value: Maybe, digits: Digits): string {
  if (!isNumber(value)) return missing;
  const least = 10 ** -digits;
  return value > 0 && value < least / 2 ? `<${formats[digits].format(least)}` : formats[digits].format(value);
}

/** By the size after rounding, so that 9.9996 does not read "10.000" where 10 reads "10.00". */
function digitsOf(size: number): Digits {
  if (size >= 999.95) return 0;
  if (size >= 99.995) return 1;
  return size >= 0.9995 ? 2 : 3;
}

/** Any measured value, without its unit. */
export const formatMeasured = (value: Maybe): string =>
  value === 0 ? '0' : formatFixed(value, digitsOf(Math.abs(value ?? 0)));

/** Half the width of a value's interval, with the decimals of the value: "12.00 ± 0.40", "1,234 ± 20". */
export const formatHalfWidth = (half: Maybe, value: Maybe): string =>
  half === 0 ? '0' : formatFixed(half, digitsOf(Math.abs(value ?? 0)));

/** A time for files: milliseconds to the microsecond, which nobody can measure finer; half of one and less is kept. */
export function exactMs(us: Maybe): number | null {
  if (!isNumber(us)) return null;
  const ms = us / 1000;
  return Number(us > 0 && us < 0.5 ? ms.toPrecision(3) : ms.toFixed(3));
}

/** A rate for files: nine digits. */
export const exactRate = (perSecond: Maybe): number | null =>
  isNumber(perSecond) ? Number(perSecond.toPrecision(9)) : null;

/** Microseconds as milliseconds, without the unit. */
export const formatMs = (us: Maybe): string => formatMeasured(exactMs(us));

/** Inferences, requests, responses or sequences per second, without the unit. */
export const formatRate = (perSecond: Maybe): string => formatMeasured(exactRate(perSecond));

export const formatCount = (count: Maybe): string => formatFixed(count, 0);

/** 0 to 1, or beyond, as per cent. */
export const formatShare = (share: Maybe): string =>
  isNumber(share) ? `${formatFixed(share * 100, 1)} %` : missing;

/** The same with a decimal only where it says something: "50 %", "1.2 %", "99.8 %". */
export function formatShortShare(share: Maybe): string {
  if (!isNumber(share)) return missing;
  const isPlain = (share >= 0.0995 && share <= 0.99) || share === 0 || share === 1;
  return isPlain ? `${formatFixed(share * 100, 0)} %` : formatShare(share);
}

/** A value as it was typed and not measured: a budget of 20, 0.5 or 1,500 ms, a rate of 33.333 requests/s. */
export const formatTyped = (value: Maybe): string => (isNumber(value) ? typed.format(value) : missing);

/** A metric such as top-1, 0 to 1 as a rule. */
export const formatMetric = (value: Maybe): string => formatFixed(value, 4);

/** How far apart two metrics are at most: rounded up, so that "within" stays true. */
export const formatMetricDelta = (delta: number): string =>
  formatMetric(Math.max(0, Math.ceil(Math.abs(delta) * 1e4 - 1e-6)) / 1e4);

/** Differences and tolerances span many decades: "0.0214", "4.13e-6", "1.23e4". */
export function formatScale(value: Maybe): string {
  if (!isNumber(value)) return missing;
  const size = Math.abs(value);
  if (value === 0 || (size >= 0.001 && size < 10_000)) {
    return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
  }
  return Number(value.toPrecision(3)).toExponential().replace('e+', 'e');
}

/** Time spent, from microseconds: "4 µs", "820 ms", "12.3 s", "2 min 05 s", "1 h 02 min". */
export function formatDuration(us: Maybe): string {
  if (!isNumber(us)) return missing;
  if (us < 999.5) return `${formatCount(us)} µs`;
  if (us < 999_500) return `${formatCount(us / 1000)} ms`;
  if (us < 59_950_000) return `${formatFixed(us / 1e6, 1)} s`;
  const seconds = Math.round(us / 1e6);
  const minutes = Math.floor(seconds / 60);
  const twoDigits = (count: number) => String(count).padStart(2, '0');
  return minutes < 60
    ? `${minutes} min ${twoDigits(seconds % 60)} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${twoDigits(minutes % 60)} min`;
}

/** "512 bytes", "1.5 KiB", "12.0 MiB", "7.1 GiB". */
export function formatBytes(bytes: Maybe): string {
  if (!isNumber(bytes)) return missing;
  if (bytes < 1024) return `${formatCount(bytes)} bytes`;
  if (bytes < 1024 ** 2) return `${formatFixed(bytes / 1024, 1)} KiB`;
  if (bytes < 1024 ** 3) return `${formatFixed(bytes / 1024 ** 2, 1)} MiB`;
  return `${formatFixed(bytes / 1024 ** 3, 1)} GiB`;
}

/** To nanoseconds: what lies below is noise of the floating point. */
export const roundUs = (us: number): number => Math.round(us * 1000) / 1000;
