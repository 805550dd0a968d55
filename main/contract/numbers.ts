/**
 * The one rounding: window, report, command line, monitor and preflight print every number through this file, en-US.
 *
 * - measured values (rates, times, ratios): three significant digits or more: 0.123, 1.23, 12.34, 123.4, 1,234
 * - times of requests: milliseconds by that rule; time spent: "820 ms", "12.3 s", "2 min 05 s", "1 h 02 min"
 * - half-width of an interval: with the decimals of its value: 12.00 ± 0.40
 * - counts: whole, thousands separated; shares: "12.3 %"; bytes: "12.0 MiB"
 * - metrics: four decimals; differences and tolerances: three significant digits, powers of ten outside 0.001 … 9,999
 * - a value above zero never reads as zero: "<0.001"; an unknown value reads {@link missing}; below zero it has a minus sign: "−0.011"
 *
 * Files get {@link exactMs} and {@link exactRate}; rounding what a file says gives what the window shows.
 */

/** Shown for every value that is missing or is not a finite number. */
export const missing = '–';

type Maybe = number | null | undefined;

const isNumber = (value: Maybe): value is number => typeof value === 'number' && Number.isFinite(value);

type Digits = 0 | 1 | 2 | 3 | 4;
const thousands = /\B(?=(?:\d{3})+$)/g;

/** For people: a hyphen is too short beside digits, and lines break behind it. */
const withMinus = (text: string): string => text.replace(/^-/, '−');

/** As `Intl.NumberFormat` of en-US writes it, with a minus sign; that takes 8 ms of a command for its first number. */
function grouped(value: number, fewest: Digits, most: Digits): string {
  const [whole = '', part = ''] = String(Math.abs(value)).split('.');
  if (whole.includes('e') || part.includes('e')) {
    return withMinus(
      value.toLocaleString('en-US', { minimumFractionDigits: fewest, maximumFractionDigits: most }),
    );
  }
  const kept = BigInt(`${whole}${part.slice(0, most).padEnd(most, '0')}`);
  const digits = String(kept + (part.charAt(most) >= '5' ? 1n : 0n)).padStart(most + 1, '0');
  const point = digits.length - most;
  let decimals = digits.slice(point);
  while (decimals.length > fewest && decimals.endsWith('0')) decimals = decimals.slice(0, -1);
  const sign = value < 0 || Object.is(value, -0) ? '−' : '';
  return `${sign}${digits.slice(0, point).replace(thousands, ',')}${decimals === '' ? '' : `.${decimals}`}`;
}

export function formatFixed(value: Maybe, digits: Digits): string {
  if (!isNumber(value)) return missing;
  const least = 10 ** -digits;
  const isBelow = value > 0 && value < least / 2;
  return `${isBelow ? '<' : ''}${grouped(isBelow ? least : value, digits, digits)}`;
}

/** By the rounded size, so that 9.9996 reads "10.00" like 10. */
function digitsOf(size: number): Digits {
  if (size >= 999.95) return 0;
  if (size >= 99.995) return 1;
  return size >= 0.9995 ? 2 : 3;
}

export const formatMeasured = (value: Maybe): string =>
  value === 0 ? '0' : formatFixed(value, digitsOf(Math.abs(value ?? 0)));

/** Half-width with the decimals of the value: "12.00 ± 0.40", "1,234 ± 20". */
export const formatHalfWidth = (half: Maybe, value: Maybe): string =>
  half === 0 ? '0' : formatFixed(half, digitsOf(Math.abs(value ?? 0)));

/** Milliseconds for files, rounded to the microsecond; half of one and less is kept. */
export function exactMs(us: Maybe): number | null {
  if (!isNumber(us)) return null;
  const ms = us / 1000;
  return Number(us > 0 && us < 0.5 ? ms.toPrecision(3) : ms.toFixed(3));
}

export const exactRate = (perSecond: Maybe): number | null =>
  isNumber(perSecond) ? Number(perSecond.toPrecision(9)) : null;

export const formatMs = (us: Maybe): string => formatMeasured(exactMs(us));

/** Per second, without the unit. */
export const formatRate = (perSecond: Maybe): string => formatMeasured(exactRate(perSecond));

export const formatCount = (count: Maybe): string => formatFixed(count, 0);

/** 0 to 1, or beyond, as a percentage. */
export const formatShare = (share: Maybe): string =>
  isNumber(share) ? `${formatFixed(share * 100, 1)} %` : missing;

/** With a decimal only where it matters: "50 %", "1.2 %", "99.8 %". */
export function formatShortShare(share: Maybe): string {
  if (!isNumber(share)) return missing;
  const isPlain = (share >= 0.0995 && share <= 0.99) || share === 0 || share === 1;
  return isPlain ? `${formatFixed(share * 100, 0)} %` : formatShare(share);
}

/** A setting, not measured: a budget of 20, 0.5 or 1,500 ms, a rate of 33.333 requests/s. */
export const formatTyped = (value: Maybe): string => (isNumber(value) ? grouped(value, 0, 3) : missing);

export const formatMetric = (value: Maybe): string => formatFixed(value, 4);

/** Rounded up, so that "within" stays true. */
export const formatMetricDelta = (delta: number): string =>
  formatMetric(Math.max(0, Math.ceil(Math.abs(delta) * 1e4 - 1e-6)) / 1e4);

/** Differences and tolerances span many decades: "0.0214", "4.13e-6", "1.23e4". */
export function formatScale(value: Maybe): string {
  if (!isNumber(value)) return missing;
  const size = Math.abs(value);
  if (value === 0 || (size >= 0.001 && size < 10_000)) {
    return withMinus(value.toLocaleString('en-US', { maximumSignificantDigits: 3 }));
  }
  return withMinus(Number(value.toPrecision(3)).toExponential().replace('e+', 'e'));
}

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

/** To nanoseconds; the rest is floating-point noise. */
export const roundUs = (us: number): number => Math.round(us * 1000) / 1000;
