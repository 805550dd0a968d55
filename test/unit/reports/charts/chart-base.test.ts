import { expect, it } from 'vitest';
import { baseOption, timeAxis, valueAxis } from '../../../../main/reports/charts/chart-base';
import { type Chart, renderChart } from '../../../../main/reports/charts/render-chart';

const labelsOf = (end: number, most: number): readonly string[] => {
  const option = {
    ...baseOption('', []),
    xAxis: timeAxis(end, 'Minutes under load'),
    yAxis: valueAxis('ms'),
    series: [{ type: 'line', data: [0, end].map((x) => [x, most]) }],
  } as Chart['option'];
  const svg = renderChart({ id: 'time', title: '', width: 560, height: 230, option });
  return [...svg.matchAll(/>([\d.,]+)<\/text>/g)].map(([, label]) => label ?? '');
};

it('the end of a time that is not round has no label', () => {
  expect(labelsOf(0.6823778544333333, 3)).toEqual([
    ...['0', '1', '2', '3'],
    ...['0', '0.1', '0.2', '0.3', '0.4', '0.5', '0.6'],
  ]);
  expect(labelsOf(20, 3)).toContain('20');
});

it('a tick has the decimals of its value', () => {
  expect(labelsOf(20, 2)).toEqual(expect.arrayContaining(['0', '0.5', '1', '1.5', '2']));
});
