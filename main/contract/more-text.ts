import { formatCount } from './numbers';

/** "and 1,904 more models"; null when there are none. Pure. */
export const moreText = (count: number, noun: string): string | null =>
  count === 0 ? null : `and ${formatCount(count)} more ${noun}${count === 1 ? '' : 's'}`;
