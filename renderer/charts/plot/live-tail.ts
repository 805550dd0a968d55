import type { Chart } from '../chart';

/** An axis as plotly keeps it in the layout of an element: `range` also where it chose that itself. */
interface AxisLayout {
  readonly type?: string;
  readonly range?: readonly unknown[];
}

export interface DrawnPlot extends Element {
  readonly layout?: {
    readonly xaxis?: AxisLayout;
    readonly yaxis?: AxisLayout;
    readonly yaxis2?: AxisLayout;
  };
}

interface DrawnAxis {
  readonly range: readonly [number, number];
  /** Value to pixels within the plot. */
  readonly toPixel: (value: number) => number;
}

const tailClass = 'live-tail';

const between = (value: number, [a, b]: readonly [number, number]): boolean =>
  value >= Math.min(a, b) && value <= Math.max(a, b);

interface TailAxes {
  readonly x: DrawnAxis;
  readonly y: DrawnAxis;
}

/** The path of `y` from index `from` on; a gap where it is NaN; null when a value is outside the drawn axis. */
export function tailPath(
  y: ArrayLike<number>,
  x: ArrayLike<number | string>,
  from: number,
  axes: TailAxes,
): string | null {
  let path = '';
  let pen = false;
  for (let index = from; index < y.length; index += 1) {
    const value = y[index] ?? NaN;
    if (Number.isNaN(value)) {
      pen = false;
      continue;
    }
    if (!between(value, axes.y.range)) return null;
    const place = `${axes.x.toPixel(Number(x[index])).toFixed(2)},${axes.y.toPixel(value).toFixed(2)}`;
    path += `${pen ? 'L' : 'M'}${place}`;
    pen = true;
  }
  return path;
}

export function removeTails(place: Element): void {
  for (const tail of place.querySelectorAll(`.${tailClass}`)) tail.remove();
}

interface LineEnd {
  readonly path: string;
  readonly color: string;
  readonly dash: string;
}

/** A linear axis over so many pixels; null where it is another one, or not drawn. */
function drawnAxis(axis: AxisLayout | undefined, pixels: number, isUpright: boolean): DrawnAxis | null {
  const [from, to] = axis?.range ?? [];
  if ((axis?.type ?? 'linear') !== 'linear' || typeof from !== 'number' || typeof to !== 'number')
    return null;
  const share = (value: number): number => (value - from) / (to - from);
  return { range: [from, to], toPixel: (value) => pixels * (isUpright ? 1 - share(value) : share(value)) };
}

/** Where the lines are within the element, pixels; null while nothing is drawn. */
function plotArea(place: Element): { left: number; top: number; width: number; height: number } | null {
  const area = place.querySelector('.nsewdrag')?.getBoundingClientRect();
  if (area === undefined || area.width === 0) return null;
  const { left, top } = place.getBoundingClientRect();
  return { left: area.left - left, top: area.top - top, width: area.width, height: area.height };
}

/** The ends of all drawn lines from point `from` on; null when one cannot be true to the axes. */
function lineEnds(
  { layout }: DrawnPlot,
  chart: Chart,
  from: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly LineEnd[] | null {
  const x = drawnAxis(layout?.xaxis, width, false);
  const [left, right] = [drawnAxis(layout?.yaxis, height, true), drawnAxis(layout?.yaxis2, height, true)];
  const ends: LineEnd[] = [];
  for (const trace of chart.data) {
    if (trace.mode === 'markers') continue;
    const y = trace.yaxis === 'y2' ? right : left;
    if (x === null || y === null) return null;
    const path = tailPath(trace.y, trace.x, from, { x, y });
    if (path === null) return null;
    const { color = '', dash = 'solid' } = trace.line ?? {};
    if (path.includes('L')) ends.push({ path, color, dash });
  }
  return ends;
}

/**
 * Draws what has come since `drawnCount` points as ends of the lines that stand, over the plot, in a hundredth of the time
 * of drawing the chart. False, and nothing drawn, when that cannot be true to the axes: the chart is to be drawn whole.
 */
export function drawTails(place: DrawnPlot, chart: Chart, drawnCount: number): boolean {
  const area = plotArea(place);
  const ends = area === null ? null : lineEnds(place, chart, Math.max(0, drawnCount - 1), area);
  if (area === null || ends === null) return false;
  removeTails(place);
  const tails = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  tails.setAttribute('class', tailClass);
  for (const side of ['left', 'top', 'width', 'height'] as const) tails.style[side] = `${area[side]}px`;
  for (const { path, color, dash } of ends) {
    const tail = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    tail.setAttribute('d', path);
    tail.setAttribute('fill', 'none');
    tail.setAttribute('stroke', color);
    tail.setAttribute('stroke-width', '1.5');
    if (dash !== 'solid') tail.setAttribute('stroke-dasharray', dash === 'dot' ? '2,2' : '6,4');
    tails.append(tail);
  }
  place.append(tails);
  return true;
}
