import type { Chart } from '../chart';
import type { Trace } from '../trace';

/** The part of plotly's own account of an axis that places a point. Read from `_fullLayout`, which plotly keeps public. */
interface DrawnAxis {
  readonly range: readonly [number, number];
  /** Value to pixels within the plot. */
  readonly d2p: (value: number) => number;
}

/** An element that plotly has drawn into. */
export interface DrawnPlot extends Element {
  readonly _fullLayout?: {
    readonly xaxis?: DrawnAxis;
    readonly yaxis?: DrawnAxis;
    readonly yaxis2?: DrawnAxis;
  };
}

/** What plotly binds to the group of a trace. */
interface TraceGroup extends SVGGElement {
  readonly __data__?: readonly [{ readonly trace: { readonly index: number } }];
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
    const place = `${axes.x.d2p(Number(x[index])).toFixed(2)},${axes.y.d2p(value).toFixed(2)}`;
    path += `${pen ? 'L' : 'M'}${place}`;
    pen = true;
  }
  return path;
}

export function removeTails(place: Element): void {
  for (const tail of place.querySelectorAll(`.${tailClass}`)) tail.remove();
}

interface LineEnd {
  readonly group: Element;
  readonly path: string;
  readonly color: string;
  readonly dash: string;
}

const traceOf = (node: TraceGroup, { data }: Chart): Trace | undefined =>
  data[node.__data__?.[0].trace.index ?? -1];

function axesOf({ _fullLayout: drawn }: DrawnPlot, trace: Trace): TailAxes | null {
  const x = drawn?.xaxis;
  const y = trace.yaxis === 'y2' ? drawn?.yaxis2 : drawn?.yaxis;
  return x === undefined || y === undefined ? null : { x, y };
}

/** The ends of all drawn lines from point `from` on; null when one cannot be true to the axes. */
function lineEnds(place: DrawnPlot, chart: Chart, from: number): readonly LineEnd[] | null {
  if (place._fullLayout?.xaxis === undefined) return null;
  const ends: LineEnd[] = [];
  for (const node of place.querySelectorAll<TraceGroup>('.scatterlayer .trace')) {
    const trace = traceOf(node, chart);
    if (trace?.mode === 'markers') continue;
    const group = node.querySelector('.lines');
    const axes = trace === undefined ? null : axesOf(place, trace);
    if (trace === undefined || group === null || axes === null) return null;
    const path = tailPath(trace.y, trace.x, from, axes);
    if (path === null) return null;
    const { color = '', dash = 'solid' } = trace.line ?? {};
    if (path.includes('L')) ends.push({ group, path, color, dash });
  }
  return ends;
}

/**
 * Draws what has come since `drawnCount` points as ends of the lines that stand, in a hundredth of the time of drawing the
 * chart. False, and nothing drawn, when that cannot be true to the axes: the chart is to be drawn whole.
 */
export function drawTails(place: DrawnPlot, chart: Chart, drawnCount: number): boolean {
  const ends = lineEnds(place, chart, Math.max(0, drawnCount - 1));
  if (ends === null) return false;
  removeTails(place);
  for (const { group, path, color, dash } of ends) {
    const tail = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    tail.setAttribute('class', tailClass);
    tail.setAttribute('d', path);
    tail.setAttribute('fill', 'none');
    tail.setAttribute('stroke', color);
    tail.setAttribute('stroke-width', '1.5');
    if (dash !== 'solid') tail.setAttribute('stroke-dasharray', dash === 'dot' ? '2,2' : '6,4');
    group.append(tail);
  }
  return true;
}
