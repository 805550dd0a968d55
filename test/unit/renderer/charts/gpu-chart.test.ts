import { describe, expect, it } from 'vitest';
import { gpuCharts } from '../../../../main/domain/measured/points';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { gpuChart } from '../../../../renderer/charts/gpu-chart';
import { sortedPoints } from '../../../../renderer/charts/sweep-series';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  readingsFixture,
  stateOf,
} from '../../../support/run-state';

const levels = [1, 4, 8];
const inputOf = (uuids: readonly string[]) => {
  const bodies = levels.map((concurrency) =>
    measurementBody('online', pointFixture({ concurrency, gpus: readingsFixture(uuids, concurrency / 8) })),
  );
  const { online } = stateOf([...createdBodies(), ...bodies]).scenarios;
  const theme = chartThemes.dark;
  return {
    ...({ scenario: 'online', state: online, planned: levels, sweep: 'concurrency' } as const),
    ...{ level: null, budgetMs: null, theme },
  };
};
const chartsOf = (uuids: readonly string[]) => {
  const input = inputOf(uuids);
  return gpuCharts(sortedPoints(input)).map((of) => gpuChart(input, of));
};

describe('charts of GPUs in the window', () => {
  it('have a line a quantity over the levels, and a sign where clocks were held down', () => {
    const [load, , clock] = chartsOf(['GPU-1']);
    expect(load?.data.map(({ name, x, y }) => [name, x, y])).toEqual([
      ['Utilization', levels, [12.5, 50, 100]],
      ['Memory', levels, [(100 * 5) / 24, (100 * 8) / 24, 50]],
      ['Clocks throttled', [8], [0]],
    ]);
    expect(load?.layout.yaxis.range).toEqual([0, 105]);
    const [line, sign] = clock?.data ?? [];
    expect(line?.y).toEqual([1440, 1440, 1185]);
    expect(sign?.hovertext?.[0]).toContain('throttled 40');
    expect(sign?.hovertext?.[0]).toContain('throttled by temperature');
    expect(line?.hovertext?.[0]).toContain('GPU-1');
  });

  it('give each of several GPUs a color of its own', () => {
    const [load] = chartsOf(['GPU-1', 'GPU-2']);
    const lines = load?.data.filter(({ mode }) => mode === 'lines+markers') ?? [];
    const color = (name: string) => lines.find((line) => line.name === name)?.line?.color;
    expect(color('Utilization, GPU-1')).not.toBe(color('Utilization, GPU-2'));
    expect(color('Utilization, GPU-1')).toBe(color('Memory, GPU-1'));
  });
});
