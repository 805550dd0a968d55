import { formatMs } from '../../../main/contract/numbers';
import { signTrace } from '../chart';
import type { ChartTheme } from '../chart-theme';
import type { Trace } from '../trace';
import { momentOf } from './history-columns';

const mostSampled = 4000;

/** A chart is cut where its highest value is this many times the one that 95 of 100 stay below. */
const spikeFactor = 3;

const axisFactor = 1.5;

/** More signs could not be told apart. */
const mostSigns = 60;

/** The next round number from `value` up: few of them, so that the axis stays while values come. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 5, 7.5, 10].find((candidate) => candidate * unit >= value) ?? 10;
  return step * unit;
}

/**
 * The end of an axis on which one spike does not flatten all the rest; null where there is no such spike.
 * @param series values of each line or bar; NaN and 0 are no measurements.
 */
export function clippedTop(series: readonly ArrayLike<number>[]): number | null {
  const total = series.reduce((sum, { length }) => sum + length, 0);
  const stride = Math.max(1, Math.ceil(total / mostSampled));
  const sample: number[] = [];
  let most = 0;
  let at = 0;
  for (const values of series) {
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? NaN;
      if (!(value > 0)) continue;
      most = Math.max(most, value);
      if (at % stride === 0) sample.push(value);
      at += 1;
    }
  }
  const usual = sample.sort((a, b) => a - b)[Math.floor((sample.length - 1) * 0.95)] ?? 0;
  return usual > 0 && most > usual * spikeFactor ? roundUp(usual * axisFactor) : null;
}

/** Signs at the upper edge, where values are above the axis: each of the highest of them says its value. */
export function aboveSigns(
  x: ArrayLike<number | string>,
  series: readonly ArrayLike<number>[],
  top: number,
  theme: ChartTheme,
): readonly Trace[] {
  const above: { at: number; value: number }[] = [];
  let before = -2;
  for (let index = 0; index < x.length; index += 1) {
    const value = series.reduce((most, values) => Math.max(most, values[index] || 0), 0);
    if (value <= top) continue;
    const last = above.at(-1);
    // Neighbours are one spike, with its highest value.
    if (index === before + 1 && last !== undefined) {
      if (value > last.value) above[above.length - 1] = { at: index, value };
    } else above.push({ at: index, value });
    before = index;
  }
  if (above.length === 0) return [];
  const shown = above.sort((a, b) => b.value - a.value).slice(0, mostSigns);
  const clock = (at: number) => momentOf(Number(x[at])).toTimeString().slice(0, 8);
  return [
    signTrace({
      name: `Above the axis, up to ${formatMs((shown[0]?.value ?? 0) * 1000)} ms`,
      x: shown.map(({ at }) => Number(x[at])),
      y: shown.map(() => top),
      hovertext: shown.map(({ at, value }) => `${formatMs(value * 1000)} ms at ${clock(at)}, above the axis`),
      marker: { color: theme.text, size: 8, symbol: 'triangle-up' },
    }),
  ];
}
