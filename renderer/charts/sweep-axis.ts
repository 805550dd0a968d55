import type { SweepInput } from './chart';
import { levelOf, sweepName } from './chart';
import type { Axis } from './trace';

/** Every level that is planned, measured, missing or published, ascending. */
export function levelsOf(
  input: Pick<SweepInput, 'scenario' | 'state' | 'planned' | 'baseline'>,
): readonly number[] {
  const { scenario, state } = input;
  const seen = new Set([
    ...input.planned,
    ...state.points.map((measured) => levelOf(scenario, measured.point)),
    ...state.missing.map((missing) => levelOf(scenario, missing)),
    ...(input.baseline?.points ?? []).map(({ load }) => load),
  ]);
  return [...seen].sort((a, b) => a - b);
}

/** A sweep that multiplies is read on a logarithmic axis: neighbours then stand equally far apart. */
export function isMultiplying(levels: readonly number[]): boolean {
  if (levels.length < 3) return false;
  return levels.every((level, index) => {
    const before = levels[index - 1];
    return before === undefined || level / before >= 1.5;
  });
}

/** Labels that stand beside each other without touching, in a chart of half the page's width. */
const mostTicks = 12;

/** Every level, or every second, third … of a long sweep, its last one always among them. */
function ticksOf(levels: readonly number[]): readonly number[] {
  const step = Math.ceil(levels.length / mostTicks);
  return levels.filter((_level, index) => (levels.length - 1 - index) % step === 0);
}

/**
 * The axis of the sweep with one tick a level, as wide as the planned sweep. A sweep that doubles has its levels equally
 * far apart, as on any logarithmic axis; the ticks are the levels, so they read as powers of two.
 */
export function sweepAxis(input: SweepInput): Axis {
  const levels = levelsOf(input);
  const { theme } = input;
  const log = isMultiplying(levels);
  const first = levels[0] ?? 1;
  const last = levels.at(-1) ?? 1;
  const pad = last > first ? (last - first) * 0.06 : 0.5;
  const range: readonly [number, number] = log
    ? [Math.log10(first) - 0.08, Math.log10(last) + 0.08]
    : [first - pad, last + pad];
  return {
    type: log ? 'log' : 'linear',
    range,
    title: {
      text: sweepName(input),
      standoff: 6,
      font: { size: 11, color: theme.dim },
    },
    tickvals: ticksOf(levels),
    ticktext: ticksOf(levels).map(String),
    tickfont: { color: theme.dim },
    gridcolor: theme.grid,
    linecolor: theme.line,
    zeroline: false,
    fixedrange: false,
    ticklabeloverflow: 'allow',
  };
}

/** A value axis from zero, so that lengths can be compared. */
export function valueAxis({ theme }: Pick<SweepInput, 'theme'>, title: string): Axis {
  return {
    title: { text: title, standoff: 8, font: { size: 11, color: theme.dim } },
    rangemode: 'tozero',
    tickformat: ',~r',
    tickfont: { color: theme.dim },
    gridcolor: theme.grid,
    linecolor: theme.line,
    zeroline: false,
    nticks: 6,
    // Measuring every label at every drawing is the dearest part of an axis.
    ticklabeloverflow: 'allow',
  };
}
