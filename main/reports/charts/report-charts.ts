import { components } from '../../contract/columns';
import type { ReportScenario } from '../report';
import { hasPoints } from './chart-base';
import { componentsChart } from './components-chart';
import { latencyChart } from './latency-chart';
import type { Chart } from './render-chart';
import { throughputChart } from './throughput-chart';

const hasComponents = ({ rows }: ReportScenario): boolean =>
  rows.some(({ point }) => point !== null && components.some(({ read }) => typeof read(point) === 'number'));

/** The charts of one scenario, in the order they are shown; none when nothing was measured, and no components where the tool gave none. */
export function scenarioCharts(scenario: ReportScenario): readonly Chart[] {
  if (!hasPoints(scenario)) return [];
  return [
    throughputChart(scenario),
    latencyChart(scenario),
    ...(hasComponents(scenario) ? [componentsChart(scenario)] : []),
  ];
}
