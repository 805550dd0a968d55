import type { LineSeriesOption } from 'echarts/charts';
import { okabeIto } from '../../contract/palette';
import type { ReportScenario } from '../report';
import { sweepPosition } from './chart-base';

const cross = 'path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z';

/** A cross on the axis for every level without a result; not in the legend. */
export function holeSeries(scenario: ReportScenario): LineSeriesOption {
  return {
    type: 'line',
    name: 'no result',
    silent: true,
    symbol: cross,
    symbolSize: 7,
    showAllSymbol: true,
    clip: false,
    color: okabeIto.vermillion,
    lineStyle: { width: 0 },
    data: scenario.rows.filter(({ point }) => point === null).map((row) => [sweepPosition(scenario, row), 0]),
  };
}
