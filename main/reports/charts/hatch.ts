/** Distance of the lines of a hatching, in pixels. */
const step = 5;

const multiples = (from: number, to: number, by: number): readonly number[] => {
  const first = Math.ceil(from / by);
  return Array.from(
    { length: Math.max(0, Math.floor(to / by) - first + 1) },
    (_value, at) => (first + at) * by,
  );
};

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Hatching = 'dots' | 'rows' | 'columns' | 'rising' | 'falling';

const shown = (value: number): string => String(Math.round(value * 10) / 10);

/** Path data of the hatching inside a box; lines of several boxes continue each other. */
function hatchPath(hatching: Hatching, { x, y, width, height }: Box): string {
  const [right, bottom] = [x + width, y + height];
  const line = (fromX: number, fromY: number, toX: number, toY: number) =>
    `M${shown(fromX)} ${shown(fromY)}L${shown(toX)} ${shown(toY)}`;
  const diagonal = step * Math.SQRT2;
  switch (hatching) {
    case 'rows':
      return multiples(y, bottom, step)
        .map((at) => line(x, at, right, at))
        .join('');
    case 'columns':
      return multiples(x, right, step)
        .map((at) => line(at, y, at, bottom))
        .join('');
    case 'dots':
      return multiples(y + 1, bottom - 1, step)
        .flatMap((row) => multiples(x + 1, right - 1, step).map((at) => line(at, row, at, row)))
        .join('');
    case 'rising':
      return multiples(x + y, right + bottom, diagonal)
        .map((sum) => {
          const [from, to] = [Math.max(x, sum - bottom), Math.min(right, sum - y)];
          return line(from, sum - from, to, sum - to);
        })
        .join('');
    case 'falling':
      return multiples(x - bottom, right - y, diagonal)
        .map((gap) => {
          const [from, to] = [Math.max(x, gap + y), Math.min(right, gap + bottom)];
          return line(from, from - gap, to, to - gap);
        })
        .join('');
  }
}

function hatchingOf(pattern: string): Hatching {
  if (/A\d/.test(pattern)) return 'dots';
  const turned = Number(/rotate\((-?\d+)\)/.exec(pattern)?.[1] ?? 0);
  if (turned === 90) return 'columns';
  return turned === 0 ? 'rows' : turned < 0 ? 'rising' : 'falling';
}

/** Of a bar ("M333.7 202l34 0l0 -0.3l-34 0Z") or a legend's icon ("M2 0L8 0A2 …", 10 × 8, moved). */
function boxOf(path: string, moved: string): Box | null {
  const bar = /^M(-?[\d.]+) (-?[\d.]+)l(-?[\d.]+) 0l0 (-?[\d.]+)l-?[\d.]+ 0Z$/.exec(path);
  if (bar !== null) {
    const [x = 0, y = 0, width = 0, height = 0] = bar.slice(1).map(Number);
    return {
      x: Math.min(x, x + width),
      y: Math.min(y, y + height),
      width: Math.abs(width),
      height: Math.abs(height),
    };
  }
  const [x, y] = (/translate\((-?[\d.]+) (-?[\d.]+)\)/.exec(moved) ?? []).slice(1).map(Number);
  return x === undefined || y === undefined ? null : { x, y, width: 10, height: 8 };
}

/**
 * Draws the hatchings of a chart as lines. A pattern would be printed as a picture: of each chart a quarter of a megabyte.
 * @param svg of the chart renderer, before its ids are replaced
 */
export function hatchedAsLines(svg: string): string {
  const kinds = new Map<string, Hatching>();
  const plain = svg.replace(/<pattern\b[^>]*\bid="([^"]+)"[\s\S]*?<\/pattern>/g, (pattern, id: string) => {
    kinds.set(id, hatchingOf(pattern));
    return '';
  });
  return plain.replace(
    /<path d="([^"]*)"([^>]*) fill="url\(#([^)]+)\)"[^>]*><\/path>/g,
    (whole, path: string, moved: string, id: string) => {
      const hatching = kinds.get(id);
      const box = boxOf(path, moved);
      if (hatching === undefined || box === null) return kinds.has(id) ? '' : whole;
      const lines = hatchPath(hatching, box);
      const dots = hatching === 'dots' ? ' stroke-width="1.8" stroke-linecap="round"' : '';
      return lines === '' ? '' : `<path d="${lines}" fill="none" stroke="#1f2933"${dots}></path>`;
    },
  );
}
