import { type ChartSymbol, orderColors } from './chart-lines';

/** A line over time, which window and report draw alike. */
export interface TimeLine {
  readonly name: string;
  /** Place in the palette of compared runs. */
  readonly order: number;
  readonly symbol: ChartSymbol;
  readonly dashed?: boolean;
  /** null: a gap. */
  readonly points: readonly (readonly [x: number, y: number | null])[];
}

/** On a light background. */
export const timeLineColor = ({ order }: Pick<TimeLine, 'order'>): string =>
  orderColors[order % orderColors.length] ?? orderColors[0];

/** More marks would touch. */
const mostMarks = 48;

export const hasMarks = ({ points }: Pick<TimeLine, 'points'>): boolean => points.length <= mostMarks;
