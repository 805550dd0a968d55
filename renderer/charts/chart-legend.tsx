import type { LegendEntry } from './legend-entries';

const radius = 4;
const middle = { x: 13, y: 6 } as const;

const corners = (count: number, turn: number, reach: (index: number) => number): string =>
  Array.from({ length: count }, (_unused, index) => {
    const angle = turn + (index * 2 * Math.PI) / count;
    const at = [middle.x + reach(index) * Math.cos(angle), middle.y + reach(index) * Math.sin(angle)];
    return at.map((value) => value.toFixed(2)).join(',');
  }).join(' ');

const up = -Math.PI / 2;
const polygons: Readonly<Record<string, string>> = {
  square: corners(4, Math.PI / 4, () => radius * 1.25),
  diamond: corners(4, up, () => radius * 1.25),
  'triangle-up': corners(3, up, () => radius * 1.2),
  pentagon: corners(5, up, () => radius),
  star: corners(10, up, (index) => (index % 2 === 0 ? radius * 1.3 : radius * 0.55)),
};

const dashes: Readonly<Record<string, string>> = { dot: '1.5 2.5', dash: '5 3', dashdot: '5 2 1 2' };

function Mark({ symbol, color, hollow }: { symbol: string; color: string; hollow: boolean }) {
  const style = { fill: hollow ? 'var(--panel)' : color, stroke: color, strokeWidth: 1.5 };
  if (symbol === 'x-thin') {
    return <path d="M9.5 2.5 l7 7 m0 -7 l-7 7" fill="none" stroke={color} strokeWidth={2} />;
  }
  const points = polygons[symbol];
  return points === undefined ? (
    <circle cx={middle.x} cy={middle.y} r={radius - 0.75} {...style} />
  ) : (
    <polygon points={points} {...style} strokeWidth={1} />
  );
}

function Swatch({ entry }: { entry: LegendEntry }) {
  const { kind, color, dash, symbol, hollow } = entry;
  // A symbol needs less room than a line.
  const [from, width] = kind === 'line' ? [0, 26] : [6, 14];
  return (
    <svg
      className="legend-swatch"
      width={width}
      height={12}
      viewBox={`${from} 0 ${width} 12`}
      aria-hidden="true"
    >
      {kind === 'bar' ? <rect x={7} y={1} width={12} height={10} fill={color} /> : null}
      {kind === 'line' ? (
        <path d="M1 6 H25" fill="none" stroke={color} strokeWidth={1.75} strokeDasharray={dashes[dash]} />
      ) : null}
      {kind === 'bar' || symbol === null ? null : <Mark symbol={symbol} color={color} hollow={hollow} />}
    </svg>
  );
}

export function ChartLegend(props: {
  title: string;
  entries: readonly LegendEntry[];
  /** null: all are shown. */
  only: string | null;
  onOnly: (name: string | null) => void;
}) {
  const { entries, only, onOnly } = props;
  const choice = entries.filter((entry) => entry.isSeries).length > 1;
  return (
    <div className="chart-legend" role="group" aria-label={`Legend: ${props.title}`}>
      {entries.map((entry) =>
        choice && entry.isSeries ? (
          <button
            key={entry.name}
            type="button"
            aria-pressed={only === entry.name}
            data-aside={only !== null && only !== entry.name}
            title={only === entry.name ? 'Show all series' : 'Show only this series'}
            onClick={() => onOnly(only === entry.name ? null : entry.name)}
          >
            <Swatch entry={entry} />
            {entry.name}
          </button>
        ) : (
          <span key={entry.name}>
            <Swatch entry={entry} />
            {entry.name}
          </span>
        ),
      )}
    </div>
  );
}
