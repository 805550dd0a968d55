const parts = { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
const moment = new Intl.DateTimeFormat('en-GB', parts);
const momentOfYear = new Intl.DateTimeFormat('en-GB', { ...parts, year: 'numeric' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric' });
const fullMoment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** ISO 8601 -> local time of day, "14:03:22". */
export const formatClock = (iso: string): string => clock.format(new Date(iso));

/** ISO 8601 -> local time, short for tables: "17 Nov, 09:21", of another year than now's "17 Nov 2025, 09:21". */
export function formatWhen(iso: string, now = new Date()): string {
  const when = new Date(iso);
  return (when.getFullYear() === now.getFullYear() ? moment : momentOfYear).format(when);
}

/** ISO 8601 -> local time for a narrow column: "17 Nov, 09:21", of another year than now's the day only, "17 Nov 2025". */
export function formatStart(iso: string, now = new Date()): string {
  const when = new Date(iso);
  return (when.getFullYear() === now.getFullYear() ? moment : dayOfYear).format(when);
}
export const formatWhenFully = (iso: string): string => fullMoment.format(new Date(iso));

/** Time since a moment (ISO 8601), in its largest unit: "12 s", "3 min", "5 h", "2 d". `now` in milliseconds. */
export function formatAge(iso: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
