/** A part of the x axis that the reader has drawn up; null for the whole. */
export type VisibleRange = readonly [from: number, to: number] | null;

/**
 * What a zoom of plotly (`plotly_relayout`) says about the x axis: undefined when nothing. Axes that are not linear are
 * short and never decimated, so their ranges (log10, categories) are left alone.
 */
export function rangeAfter(change: Readonly<Record<string, unknown>>): VisibleRange | undefined {
  if (change['xaxis.autorange'] === true) return null;
  const pair: unknown = change['xaxis.range'];
  const [from, to]: readonly unknown[] = Array.isArray(pair)
    ? (pair as readonly unknown[])
    : [change['xaxis.range[0]'], change['xaxis.range[1]']];
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : undefined;
}
