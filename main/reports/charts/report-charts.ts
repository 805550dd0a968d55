import type { ReportScenario } from '../report';
import { hasPoints } from './chart-base';
import { componentsChart } from './components-chart';
import { latencyChart } from './latency-chart';
import type { Chart } from './render-chart';
import { throughputChart } from './throughput-chart';

/** The charts of one scenario, in the order they are shown; none when nothing was measured. */
export function scenarioCharts(scenario: ReportScenario): readonly Chart[] {
  if (!hasPoints(scenario)) return [];
  return [throughputChart(scenario), latencyChart(scenario), componentsChart(scenario)];
}
