import { memo, useMemo } from 'react';
import { useStore } from 'zustand';
import { type SweepInput, sweepOfState } from '../../charts/chart';
import { ChartPanel } from '../../charts/chart-panel';
import { latencyChart, throughputChart } from '../../charts/latency-chart';
import { landedWindows, withLiveWindows } from '../../charts/window-series';
import { windowsChart } from '../../charts/windows-chart';
import { useThrottled } from '../../components/use-time';
import { useWorkbench } from '../../workbench';

/** A sweep shows one point of the level under way, redrawn no more often than this. */
const livePointMs = 500;

interface LiveChartProps {
  readonly input: Omit<SweepInput, 'level'>;
  readonly sweep: string;
  readonly fileName: string;
}

export const SweepCharts = memo(function SweepCharts({ input, sweep, fileName }: LiveChartProps) {
  const { run } = useWorkbench();
  const level = useThrottled(
    useStore(run, (open) => open.level),
    livePointMs,
  );
  const charts = useMemo(
    () => ({ throughput: throughputChart({ ...input, level }), latency: latencyChart({ ...input, level }) }),
    [input, level],
  );
  return (
    <>
      <ChartPanel
        id="throughput"
        title={`Throughput by ${sweep}`}
        chart={charts.throughput}
        height={204}
        fileName={fileName}
      />
      <ChartPanel
        id="latency"
        title={`Latency by ${sweep}`}
        chart={charts.latency}
        height={204}
        fileName={fileName}
      />
    </>
  );
});

export const WindowsPanel = memo(function WindowsPanel({ input, fileName }: Omit<LiveChartProps, 'sweep'>) {
  const { run } = useWorkbench();
  const level = useStore(run, (open) => open.level);
  const { scenario, state, budgetMs, theme } = input;
  const landed = useMemo(() => landedWindows(scenario, state), [scenario, state]);
  const chart = useMemo(
    () =>
      windowsChart({
        scenario,
        sweep: sweepOfState(scenario, state, input.sweep),
        series: withLiveWindows(scenario, landed, level),
        budgetMs,
        theme,
      }),
    [scenario, state, input.sweep, landed, level, budgetMs, theme],
  );
  return (
    <ChartPanel
      id="windows"
      title="Over time, window by window"
      chart={chart}
      height={204}
      fileName={fileName}
    />
  );
});
