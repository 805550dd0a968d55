const grouped = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = [grouped(0), grouped(1), grouped(2), grouped(3)] as const;

const fixed = (value: number, digits: 0 | 1 | 2 | 3): string => formats[digits].format(value);

/** Inferences per second: three or more significant digits, thousands separated. */
export function formatRate(inferencesPerSecond: number): string {
  const digits = inferencesPerSecond >= 1000 ? 0 : inferencesPerSecond >= 100 ? 1 : 2;
  return fixed(inferencesPerSecond, digits);
}

/** Microseconds as milliseconds for people, without the unit; "–" for what is not known. */
export function formatMs(us: number | null): string {
  if (us === null) return '–';
  const ms = us / 1000;
  return fixed(ms, ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 1 ? 2 : 3);
}

export const formatCount = (count: number): string => fixed(count, 0);

/** 0 to 1, or beyond, as per cent. */
export const formatShare = (share: number): string => `${fixed(share * 100, 1)} %`;

/** A metric such as top-1, 0 to 1, with four digits. */
export const formatMetric = (value: number): string => value.toFixed(4);

/** Differences and tolerances span many decades. */
export const formatSmall = (value: number): string =>
  value === 0
    ? '0'
    : value >= 0.001 && value < 1000
      ? String(Number(value.toPrecision(4)))
      : value.toExponential(2);

/** Time spent on a step. */
export function formatDuration(us: number): string {
  const seconds = us / 1e6;
  if (seconds < 1) return `${fixed(us / 1000, 0)} ms`;
  if (seconds < 10) return `${fixed(seconds, 1)} s`;
  if (seconds < 60) return `${fixed(seconds, 0)} s`;
  const whole = Math.round(seconds);
  const rest = String(whole % 60).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${rest} s`
    : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

export function formatBytes(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 1 ? `${fixed(gib, 1)} GiB` : `${fixed(bytes / 1024 ** 2, 1)} MiB`;
}

const moment = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const fullMoment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** ISO 8601 -> local time of day, "14:03:22". */
export const formatClock = (iso: string): string => clock.format(new Date(iso));

/** ISO 8601 -> local time, short for tables. */
export const formatWhen = (iso: string): string => moment.format(new Date(iso));
export const formatWhenFully = (iso: string): string => fullMoment.format(new Date(iso));
