import { memo, useMemo } from 'react';
import { useStore } from 'zustand';
import { hasValues, type SweepInput, sweepOfState } from '../../../charts/chart';
import { ChartPanel } from '../../../charts/chart-panel';
import { latencyChart, throughputChart } from '../../../charts/latency-chart';
import { landedWindows, withLiveWindows } from '../../../charts/window-series';
import { windowsChart } from '../../../charts/windows-chart';
import { useThrottled } from '../../../components/use/use-time';
import { useWorkbench } from '../../../workbench';

/** A sweep shows one point of the level under way, redrawn no more often than this. */
const livePointMs = 500;

interface LiveChartProps {
  readonly input: Omit<SweepInput, 'level' | 'landing'>;
  readonly sweep: string;
  readonly fileName: string;
}

export const SweepCharts = memo(function SweepCharts({ input, sweep, fileName }: LiveChartProps) {
  const { run } = useWorkbench();
  const level = useThrottled(
    useStore(run, (open) => open.level),
    livePointMs,
  );
  const landing = useStore(run, (open) => open.landing);
  const charts = useMemo(
    () => ({
      throughput: throughputChart({ ...input, level, landing }),
      latency: latencyChart({ ...input, level, landing }),
    }),
    [input, level, landing],
  );
  if (!hasValues(charts.throughput)) return null;
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

export const WindowsPanel = memo(function WindowsPanel({
  input,
  fileName,
  wide = false,
}: Omit<LiveChartProps, 'sweep'> & { readonly wide?: boolean }) {
  const { run } = useWorkbench();
  const level = useStore(run, (open) => open.level);
  const { scenario, state, budgetMs, theme } = input;
  const landing = useStore(run, (open) => open.landing);
  const landed = useMemo(() => landedWindows(scenario, state, landing), [scenario, state, landing]);
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
  if (!hasValues(chart)) return null;
  return (
    <ChartPanel
      id="windows"
      title="Over time, window by window"
      chart={chart}
      height={204}
      fileName={fileName}
      wide={wide}
    />
  );
});
