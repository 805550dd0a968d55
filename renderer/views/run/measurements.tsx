import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Scenario } from '../../../main/contract/run-events';
import type { RunState } from '../../../main/contract/run-state';
import type { Chart, SweepInput } from '../../charts/chart';
import { componentsChart } from '../../charts/components-chart';
import { latencyChart } from '../../charts/latency-chart';
import { Plot } from '../../charts/plot';
import { throughputChart } from '../../charts/throughput-chart';
import { useChartTheme } from '../../components/use-chart-theme';
import type { LiveLevel } from '../../stores/open-run';
import { PointsTable } from './points-table';

const isBusy = (state: RunState, scenario: Scenario): boolean =>
  state.steps.some((step) => step.id === scenario && step.status === 'running');

/** The scenario that has news: the one under way, else the last that has anything. */
function newsOf(state: RunState): Scenario {
  if (isBusy(state, 'offline')) return 'offline';
  const { points, missing } = state.scenarios.online;
  if (isBusy(state, 'online') || points.length + missing.length > 0) return 'online';
  return 'offline';
}

function ChartPanel(props: { id: string; title: string; chart: Chart; height: number; wide?: boolean }) {
  return (
    <section
      className={props.wide === true ? 'panel chart-panel wide' : 'panel chart-panel'}
      data-chart={props.id}
      aria-label={props.title}
    >
      <h3>{props.title}</h3>
      <Plot
        chart={props.chart}
        height={props.height}
        label={`Chart: ${props.title}. The table below has its numbers.`}
      />
    </section>
  );
}

/** Charts and table of one scenario at a time; the one with news comes to the front until the reader picks one. */
export function Measurements({ state, level }: { state: RunState; level: LiveLevel | null }) {
  const theme = useChartTheme();
  const [picked, setPicked] = useState<Scenario | null>(null);
  const scenario = picked ?? newsOf(state);
  const { performance } = state.spec;
  const measured = state.scenarios[scenario];
  const planned = scenario === 'offline' ? performance.batchSizes : performance.concurrency;
  const charts = useMemo(() => {
    const input: SweepInput = { scenario, state: measured, planned, level, theme };
    return {
      throughput: throughputChart(input),
      latency: latencyChart(input),
      components: componentsChart(input),
    };
  }, [scenario, measured, planned, level, theme]);
  const count = (of: Scenario): string => {
    const all = of === 'offline' ? performance.batchSizes : performance.concurrency;
    return `${state.scenarios[of].points.length}/${all.length}`;
  };
  const sweep = scenario === 'offline' ? 'batch size' : 'concurrency';
  return (
    <section className="stack" aria-label="Measurements">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Scenario"
          value={scenario}
          onChange={(value) => {
            setPicked(value === 'offline' ? 'offline' : 'online');
          }}
          data={[
            { value: 'offline', label: `Offline · batch size (${count('offline')})` },
            { value: 'online', label: `Online · concurrency (${count('online')})` },
          ]}
        />
      </div>
      <div className="charts">
        <ChartPanel id="throughput" title={`Throughput by ${sweep}`} chart={charts.throughput} height={204} />
        <ChartPanel id="latency" title={`Latency by ${sweep}`} chart={charts.latency} height={204} />
        <ChartPanel
          id="components"
          title={`Where the time goes, by ${sweep}`}
          chart={charts.components}
          height={250}
          wide
        />
      </div>
      <PointsTable scenario={scenario} state={measured} />
    </section>
  );
}
