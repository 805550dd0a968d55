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
