import { formatFixed as fixed } from '../../main/contract/numbers';

export { formatMs, formatRate } from '../../main/contract/numbers';

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
