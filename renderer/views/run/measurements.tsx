import { SegmentedControl } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { baselineSeries } from '../../../main/contract/measured/baseline';
import { meanBatch } from '../../../main/contract/measured/columns';
import { type Scenario, scenarios } from '../../../main/contract/run/run-events';
import { performanceOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { plannedSweep, type Sweep, sweepOf, sweepTitle } from '../../../main/contract/run/sweep';
import { answerOf, type ChosenLevel } from '../../../main/domain/measured/answer';
import { askedLoads, budgetMsOf, gpuCharts } from '../../../main/domain/measured/points';
import { shownScenario } from '../../../main/domain/measured/repeats';
import { predictedCurve, type PredictedLevel } from '../../../main/domain/predict/predicted-curve';
import { type Chart, hasValues, levelOf, type SweepInput, sweepOfState } from '../../charts/chart';
import { ChartPanel } from '../../charts/chart-panel';
import { componentsChart, modelsChart } from '../../charts/components-chart';
import { ComponentsHelp } from '../../charts/components-help';
import { gpuChart } from '../../charts/gpu-chart';
import { batchChart } from '../../charts/latency-chart';
import { sortedPoints } from '../../charts/sweep-series';
import { tradeOffChart } from '../../charts/trade-off-chart';
import { Explain } from '../../components/explain';
import { BaselineNote, BaselinePicker, useBaseline } from '../../components/input/baseline-picker';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { BudgetField } from './budget-field';
import { CrossCheckPanel } from './cross-check-panel';
import {
  CacheTable,
  ChecksTable,
  ComposingTable,
  EffortTable,
  ErrorsTable,
  GpuTable,
  RefusedTable,
  SequenceTable,
  SharedMemoryTable,
  SliceTable,
  StreamTable,
  TogetherTable,
  TokenTable,
  WayTable,
} from './level-details';
import { SweepCharts, WindowsPanel } from './live/live-charts';
import { PointsTable } from './points-table';
import { StagesPanel, TimelinePanels } from './timeline-panels';

const isBusy = (state: RunState, scenario: Scenario): boolean =>
  state.steps.some((step) => step.id === scenario && step.status === 'running');

function newsOf(state: RunState, answer: ChosenLevel | null): Scenario {
  const busy = scenarios.find((scenario) => isBusy(state, scenario));
  const { points, missing } = state.scenarios.online;
  return busy ?? answer?.scenario ?? (points.length + missing.length > 0 ? 'online' : 'offline');
}

/** Created once: the panel around it is redrawn only for another chart. */
const componentsHelp = <ComponentsHelp />;

const details = [
  ErrorsTable,
  RefusedTable,
  ChecksTable,
  TogetherTable,
  StreamTable,
  TokenTable,
  SequenceTable,
  SharedMemoryTable,
  CacheTable,
  ComposingTable,
  EffortTable,
  GpuTable,
  WayTable,
  SliceTable,
] as const;

const plannedOf = (state: Pick<RunState, 'source' | 'scenarios'>, scenario: Scenario): Sweep => {
  const performance = performanceOf(state);
  const levels = state.scenarios[scenario].points.map(({ point }) => point);
  return performance === null ? sweepOf(scenario, levels) : plannedSweep(performance, scenario);
};

const sweepText = (state: RunState, scenario: Scenario): string =>
  sweepTitle[sweepOfState(scenario, state.scenarios[scenario], plannedOf(state, scenario))].toLowerCase();

function ScenarioPicker(props: {
  state: RunState;
  scenario: Scenario;
  answer: ChosenLevel | null;
  onPick: (scenario: Scenario) => void;
}) {
  const { state, scenario, answer, onPick } = props;
  const count = (of: Scenario): string => {
    const measured = String(shownScenario(state, of).points.length);
    const asked = askedLoads(state, of).length;
    const star = answer?.scenario === of ? ' ★' : '';
    return `(${asked === 0 ? measured : `${measured}/${asked}`})${star}`;
  };
  return (
    <SegmentedControl
      size="xs"
      aria-label="Scenario"
      value={scenario}
      onChange={(value) => onPick(value === 'offline' ? 'offline' : 'online')}
      data={[
        { value: 'offline', label: `Offline · batch size ${count('offline')}` },
        { value: 'online', label: `Online · ${sweepText(state, 'online')} ${count('online')}` },
      ]}
    />
  );
}

interface OfSweep {
  readonly input: Omit<SweepInput, 'level'>;
  readonly sweep: string;
  readonly fileName: string;
}

function GpuCharts(props: OfSweep) {
  const { input, sweep, fileName } = props;
  const charts = useMemo(
    () =>
      gpuCharts(sortedPoints(input)).map((of) => ({ ...of, chart: gpuChart({ ...input, level: null }, of) })),
    [input],
  );
  return charts.map(({ id, title, chart }, index) => (
    <ChartPanel
      key={id}
      id={id}
      title={`${title} by ${sweep}`}
      chart={chart}
      height={204}
      fileName={fileName}
      wide={index === charts.length - 1 && index % 2 === 0}
    />
  ));
}

/** Axes without a value say nothing, and take the place of those that have one. */
const FilledChart = (props: Parameters<typeof ChartPanel>[0] & { readonly chart: Chart }) =>
  hasValues(props.chart) ? <ChartPanel {...props} /> : null;

function TradeOffPanel(props: { input: Omit<SweepInput, 'level'>; state: RunState; fileName: string }) {
  const { input, state, fileName } = props;
  const chart = useMemo(
    () => tradeOffChart({ ...input, level: null }, answerOf(state)?.level ?? null),
    [input, state],
  );
  return (
    <FilledChart
      id="trade-off"
      title="Throughput and p99 latency"
      chart={chart}
      height={250}
      fileName={fileName}
      wide
    />
  );
}

const Budget = ({ state }: { state: RunState }) => (
  <div className="row budget">
    <BudgetField state={state} />
    <Explain
      what="p99 budget"
      text="Highest acceptable p99 latency. The best steady level within it is shown here and in the report, and the charts show the limit as a line. Measurements do not change."
    />
  </div>
);

/** What a request's mean latency is made of: by component, and by model where several serve it. */
function PartsCharts({ input, sweep, fileName }: OfSweep) {
  const [parts, models] = useMemo(
    () => [componentsChart({ ...input, level: null }), modelsChart({ ...input, level: null })],
    [input],
  );
  return (
    <>
      <FilledChart
        id="components"
        title={`Where the time goes, by ${sweep}`}
        chart={parts}
        height={250}
        fileName={fileName}
        wide
      >
        {componentsHelp}
      </FilledChart>
      <FilledChart
        id="models"
        title={`Where the time goes by model, by ${sweep}`}
        chart={models}
        height={250}
        fileName={fileName}
        wide
      />
    </>
  );
}

/** Nothing while levels are still coming in. */
const usePredicted = (state: RunState, scenario: Scenario): readonly PredictedLevel[] =>
  useMemo(
    () => (scenario === 'offline' || state.status === 'running' ? [] : predictedCurve(state)),
    [scenario, state],
  );

export const Measurements = memo(function Measurements({ state }: { state: RunState }) {
  const theme = useChartTheme();
  const budgetMs = budgetMsOf(state);
  const [picked, setPicked] = useState<Scenario | null>(null);
  const answer = useMemo(() => answerOf(state)?.level ?? null, [state]);
  const scenario = picked ?? newsOf(state, answer);
  const { runId, source, scenarios: measuredOf } = state;
  const measured = useMemo(
    () => shownScenario({ source, scenarios: measuredOf }, scenario),
    [source, measuredOf, scenario],
  );
  const planned = useMemo(
    () => askedLoads({ source }, scenario).map((load) => levelOf(scenario, load)),
    [source, scenario],
  );
  const points = useMemo(() => sortedPoints({ scenario, state: measured }), [scenario, measured]);
  const asked = plannedOf(state, scenario);
  // Windows arrive often, levels seldom: what shows only levels is not redrawn for a window.
  const predicted = usePredicted(state, scenario);
  const input = useMemo<Omit<SweepInput, 'level'>>(
    () => ({ scenario, state: measured, planned, sweep: asked, budgetMs, predicted, theme }),
    [scenario, measured, planned, asked, budgetMs, predicted, theme],
  );
  const baseline = useBaseline(state);
  const isLive = state.status === 'running';
  const sweepInput = useMemo(
    () => ({ ...input, baseline: baselineSeries(baseline.shown, scenario, performanceOf({ source })) }),
    [input, baseline.shown, scenario, source],
  );
  const batch = useMemo(() => batchChart({ ...input, level: null }), [input]);
  const [sweep, fileName] = [sweepText(state, scenario), `${runId}-${scenario}`];
  return (
    <section className="stack" aria-label="Measurements">
      <div className="row wrap measurements-head">
        <ScenarioPicker state={state} scenario={scenario} answer={answer} onPick={setPicked} />
        <div className="row wrap measurements-head">
          <BaselinePicker runId={runId} baseline={baseline} />
          <Budget state={state} />
        </div>
      </div>
      <BaselineNote baseline={baseline} runs={[state]} />
      <div className="charts">
        {/* Of a run under way first: it has news with every window. */}
        {isLive ? <WindowsPanel input={input} fileName={fileName} wide /> : null}
        <SweepCharts input={sweepInput} sweep={sweep} fileName={fileName} />
        <TradeOffPanel input={input} state={state} fileName={fileName} />
        <PartsCharts input={input} sweep={sweep} fileName={fileName} />
        {isLive ? null : <WindowsPanel input={input} fileName={fileName} />}
        <FilledChart
          id="batch"
          title={`${meanBatch.title} by ${sweep}`}
          chart={batch}
          height={204}
          fileName={fileName}
        />
        <GpuCharts input={input} sweep={sweep} fileName={fileName} />
        <TimelinePanels points={points} theme={theme} fileName={fileName} />
      </div>
      <StagesPanel points={points} />
      <PointsTable scenario={scenario} state={measured} answer={answer} />
      {details.map((Details, index) => (
        <Details key={index} points={points} />
      ))}
      <CrossCheckPanel state={state} scenario={scenario} />
    </section>
  );
});
