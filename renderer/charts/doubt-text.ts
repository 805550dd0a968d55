import { isSteady, reasonsOf } from '../../main/contract/flag-text';
import type { LoadPoint } from '../../main/contract/results';
import { wrapped } from './hover-text';

/** The symbol of a level: hollow where it is not steady. What else is in doubt is in its hover text. */
export const symbolOf = (point: LoadPoint, symbol: string): string =>
  isSteady(point) ? symbol : `${symbol}${hollow}`;

const hollow = '-open';
export const isHollow = (symbol: string): boolean => symbol.endsWith(hollow);

/** What the legend says of hollow symbols. */
export const hollowText = 'Hollow: not steady';

/** Behind a level on an axis of bars, which have no symbol: see {@link hollowText}. */
export const hollowMark = '○';

/** What is in doubt about a level, for hovering: each in lines of its own; none for a steady one without a doubt. */
export const doubtLines = (point: LoadPoint): readonly string[] => reasonsOf(point).map(wrapped);
