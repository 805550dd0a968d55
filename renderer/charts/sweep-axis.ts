import { baseLayout, levelOf, type SweepInput, sweepName } from './chart';
import type { ChartTheme } from './chart-theme';
import type { Axis, ChartLayout } from './trace';

type AxisInput = Pick<SweepInput, 'scenario' | 'state' | 'planned' | 'baseline'>;

const ascending = (levels: readonly number[]): readonly number[] =>
  [...new Set(levels)].sort((a, b) => a - b);

const ownLevelsOf = ({ scenario, state, planned }: AxisInput): readonly number[] =>
  ascending([
    ...planned,
    ...state.points.map((measured) => levelOf(scenario, measured.point)),
    ...state.missing.map((missing) => levelOf(scenario, missing)),
  ]);

export const levelsOf = (input: AxisInput): readonly number[] =>
  ascending([...ownLevelsOf(input), ...(input.baseline?.points ?? []).map(({ load }) => load)]);

/** Levels that multiply are drawn on a logarithmic axis, equally far apart. */
export function isMultiplying(levels: readonly number[]): boolean {
  if (levels.length < 3) return false;
  return levels.every((level, index) => {
    const before = levels[index - 1];
    return before === undefined || level / before >= 1.5;
  });
}

/** More labels would touch in a chart of half the page's width. */
const mostTicks = 12;

/**
 * Levels with a label: the run's own before the published ones, each only where it does not touch another's.
 * @param placeOf where a level is on the axis.
 */
function ticksOf(
  own: readonly number[],
  all: readonly number[],
  placeOf: (level: number) => number,
): readonly number[] {
  const span = placeOf(all.at(-1) ?? 1) - placeOf(all[0] ?? 1);
  const kept: number[] = [];
  const keep = (levels: readonly number[], most: number): void => {
    const least = (span / most) * 0.999;
    for (const level of [...levels].reverse()) {
      if (kept.every((other) => Math.abs(placeOf(other) - placeOf(level)) >= least)) kept.push(level);
    }
  };
  keep(own, mostTicks);
  // Far loads are long numbers.
  keep(all, mostTicks * 0.75);
  return kept.length === 0 ? all : ascending(kept);
}

/** A logarithmic axis says so: slopes read differently on it. */
const axisName = (name: string, log: boolean): string => {
  if (!log) return name;
  return name.endsWith(')') ? `${name.slice(0, -1)}, log scale)` : `${name} (log scale)`;
};

export const axisStyle = (theme: ChartTheme, title: string, standoff = 6) => ({
  title: { text: title, standoff, font: { size: 11, color: theme.dim } },
  tickfont: { color: theme.dim },
  gridcolor: theme.grid,
  linecolor: theme.line,
  zeroline: false,
});

/** Ends of the axis in the values of its sweep. */
export function sweepEnds(input: SweepInput): readonly [number, number] {
  const { type, range = [0, 1] } = sweepAxis(input);
  return type === 'log' ? [10 ** range[0], 10 ** range[1]] : range;
}

/**
 * The axis of the sweep with one tick a level, as wide as the planned sweep. A sweep that doubles has its levels equally
 * far apart, as on any logarithmic axis; the ticks are the levels, so they read as powers of two.
 */
export function sweepAxis(input: SweepInput): Axis {
  const levels = levelsOf(input);
  const own = ownLevelsOf(input);
  // Published figures have another step; the run's own slope is what is read.
  const log = isMultiplying(own) || (own.length < 3 && isMultiplying(levels));
  const first = levels[0] ?? 1;
  const last = levels.at(-1) ?? 1;
  const pad = last > first ? (last - first) * 0.06 : 0.5;
  const range: readonly [number, number] = log
    ? [Math.log10(first) - 0.08, Math.log10(last) + 0.08]
    : [first - pad, last + pad];
  const ticks = ticksOf(own, levels, log ? Math.log10 : (level) => level);
  return {
    type: log ? 'log' : 'linear',
    range,
    ...axisStyle(input.theme, axisName(sweepName(input), log)),
    tickvals: ticks,
    ticktext: ticks.map(String),
    tickangle: 0,
    fixedrange: false,
    ticklabeloverflow: 'allow',
  };
}

/** A value axis from zero, so that lengths can be compared. */
export function valueAxis({ theme }: Pick<SweepInput, 'theme'>, title: string): Axis {
  return {
    ...axisStyle(theme, title, 8),
    rangemode: 'tozero',
    tickformat: ',~r',
    nticks: 6,
    // Measuring every label is the most expensive part of drawing an axis.
    ticklabeloverflow: 'allow',
  };
}

export const sweepLayout = (input: SweepInput, title: string): ChartLayout => ({
  ...baseLayout(input.theme),
  xaxis: sweepAxis(input),
  yaxis: valueAxis(input, title),
});
