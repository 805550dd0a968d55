import { Button, SegmentedControl } from '@mantine/core';
import { IconList } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { type Baseline, type BaselineSeries, baselineSeries } from '../../../main/contract/measured/baseline';
import { isDeployed, knownParameters, performanceOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { plannedSweep, scenarioOf, type Sweep, sweepTitle } from '../../../main/contract/run/sweep';
import {
  diffSpecs,
  instancesDifference,
  servedByDifference,
} from '../../../main/domain/comparison/diff-specs';
import { runNames, shortNames } from '../../../main/domain/comparison/run-names';
import { bestOfRuns, differentModelsText } from '../../../main/domain/measured/best-of-runs';
import { compareLevels, pointsOfSweep } from '../../../main/domain/measured/compare-levels';
import type { Chart } from '../../charts/chart';
import { ChartPanel } from '../../charts/chart-panel';
import { compareChart } from '../../charts/compare-chart';
import { compareTradeOff } from '../../charts/trade-off-chart';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { BaselineNote, BaselinePicker, useBaseline } from '../../components/input/baseline-picker';
import { BudgetInput } from '../../components/input/budget-input';
import { PageLink, useWayTo } from '../../components/links';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { CompareActions, SavedMenu } from './compare-actions';
import { savedOf, shownBudgetMs, shownStates } from './compare-tools';
import { DifferenceTable } from './difference-table';
import { LevelTable } from './level-table';
import { RunLegend } from './run-legend';
import { SaveDialog } from './save-dialog';

function isPlanned(state: RunState, sweep: Sweep): boolean {
  const performance = performanceOf(state);
  return performance !== null && plannedSweep(performance, 'online') === sweep;
}

function sweepsOf(states: readonly RunState[]): readonly Sweep[] {
  const online = (['concurrency', 'requestRate'] as const).filter((sweep) =>
    states.some((state) => pointsOfSweep(state, sweep).length > 0 || isPlanned(state, sweep)),
  );
  return ['batchSize', ...online];
}

function SweepPicker(props: {
  sweeps: readonly Sweep[];
  sweep: Sweep;
  onPick: (sweep: Sweep | null) => void;
}) {
  const { sweeps, sweep, onPick } = props;
  return (
    <SegmentedControl
      size="xs"
      aria-label="Scenario"
      value={sweep}
      onChange={(value) => onPick(sweeps.find((known) => known === value) ?? null)}
      data={sweeps.map((known) => ({
        value: known,
        label: `${known === 'batchSize' ? 'Offline' : 'Online'} · ${sweepTitle[known].toLowerCase()}`,
      }))}
    />
  );
}

function BestRun({ states, names }: { states: readonly RunState[]; names: readonly string[] }) {
  const { compared } = useWorkbench();
  const budgetMs = useStore(compared, shownBudgetMs);
  const runs = states.map((state, index) => ({ name: names[index] ?? '', state }));
  const { index, isClear, sentence } = bestOfRuns(runs, budgetMs);
  const runId = index === null ? undefined : states[index]?.runId;
  return (
    <section className="column best-run" aria-label="Best run">
      <Answer text={sentence} tone={isClear ? 'good' : 'warn'} />
      <div className="row wrap budget">
        <BudgetInput
          id="compare-budget"
          title="Highest acceptable p99 latency"
          budgetMs={budgetMs}
          onType={(typed) => compared.getState().typeBudget(typed)}
        />
        {runId === undefined ? null : (
          <PageLink to={{ page: 'run', runId }}>{`Open ${names[index ?? 0] ?? 'the run'}`}</PageLink>
        )}
      </div>
    </section>
  );
}

/** Nothing is published of open loops. */
const publishedOf = (shown: Baseline | null, sweep: Sweep, first: RunState): BaselineSeries | null =>
  sweep === 'requestRate' ? null : baselineSeries(shown, scenarioOf(sweep), performanceOf(first));

function Comparison({ first, states }: { first: RunState; states: readonly RunState[] }) {
  const { presets } = useWorkbench();
  const known = useStore(presets, (list) => list.value);
  const theme = useChartTheme();
  const [picked, setPicked] = useState<Sweep | null>(null);
  const sweeps = useMemo(() => sweepsOf(states), [states]);
  const sweep = picked !== null && sweeps.includes(picked) ? picked : (sweeps[1] ?? 'batchSize');
  const [names, short] = useMemo(() => {
    const titleOf = (id: string): string => known?.find((preset) => preset.id === id)?.title ?? id;
    return [runNames(states, titleOf, formatWhen), shortNames(states, titleOf, formatWhen)];
  }, [states, known]);
  const baseline = useBaseline(first);
  const { shown } = baseline;
  const published = useMemo(() => publishedOf(shown, sweep, first), [shown, sweep, first]);
  const panels = useMemo(() => {
    const series = states.map((state, index) => ({ name: short[index] ?? '', state }));
    const panel = (id: string, title: string, chart: Chart) => ({ id, title, chart });
    const rates = sweep === 'requestRate';
    return [
      panel('throughput', 'Throughput', compareChart(series, sweep, 'throughput', theme, published)),
      panel(
        'p99',
        `p99 latency${rates ? ' from send' : ''}`,
        compareChart(series, sweep, 'p99', theme, published),
      ),
      ...(rates
        ? [
            panel(
              'scheduled-p99',
              'p99 latency from schedule',
              compareChart(series, sweep, 'scheduledP99', theme),
            ),
          ]
        : []),
      panel('trade-off', 'Throughput and p99 latency', compareTradeOff(series, sweep, theme)),
    ];
  }, [states, short, sweep, theme, published]);
  const levels = useMemo(() => compareLevels(states, sweep), [states, sweep]);
  const differences = useMemo(() => {
    const specs = states.map(knownParameters);
    return [...diffSpecs(specs), ...servedByDifference(specs), ...instancesDifference(specs)];
  }, [states]);
  const name = sweepTitle[sweep].toLowerCase();
  const models = differentModelsText(states);
  return (
    <>
      {states.length < 2 ? null : <BestRun states={states} names={short} />}
      {models === null ? null : <p className="status tone-warn">{models}</p>}
      <RunLegend states={states} names={names} short={short} />

      <DifferenceTable differences={differences} names={short} known={states.filter(isDeployed).length} />
      <div className="row wrap measurements-head">
        <SweepPicker sweeps={sweeps} sweep={sweep} onPick={setPicked} />
        <BaselinePicker runId={first.runId} baseline={baseline} />
      </div>
      <BaselineNote baseline={baseline} runs={states} names={short} />
      <div className="charts">
        {panels.map(({ id, title, chart }) => (
          <ChartPanel
            key={id}
            id={id}
            title={`${title} by ${name}`}
            chart={chart}
            height={230}
            fileName={`compare-${sweep === 'batchSize' ? 'offline' : 'online'}`}
            wide={id === 'trade-off'}
          />
        ))}
      </div>
      {levels.length === 0 ? (
        <p className="dim">No level of this scenario has been measured yet.</p>
      ) : (
        <LevelTable sweep={sweep} levels={levels} names={short} baseline={published} />
      )}
    </>
  );
}

export function CompareView({ runIds }: { runIds: readonly string[] }) {
  const wayTo = useWayTo();
  const { compared, comparisons } = useWorkbench();
  const { states, errors, open, runIds: opened } = useStore(compared);
  const saved = useStore(comparisons, ({ value }) => savedOf(value, opened));
  const wanted = runIds.join('\n');
  useEffect(() => void open(wanted === '' ? [] : wanted.split('\n')), [open, wanted]);
  const shown = useMemo(() => shownStates({ runIds: opened, states, errors }), [opened, states, errors]);
  const failed = opened.flatMap((runId) => {
    const error = errors[runId];
    return error === undefined ? [] : [{ runId, error }];
  });
  const [first] = shown;
  const waiting = opened.length > shown.length + failed.length;
  return (
    <Page
      title="Compare"
      after={
        shown.length === 0 ? null : (
          <span className="dim cut">
            {saved === undefined ? '' : `${saved.name} · `}
            {shown.length} runs
          </span>
        )
      }
      actions={shown.length < 2 ? <SavedMenu runIds={[]} /> : <CompareActions runIds={opened} />}
    >
      <SaveDialog />
      <div className="stack">
        {failed.map(({ runId, error }) => (
          <ErrorPanel key={runId} error={error} />
        ))}
        {waiting ? <Loading label="Reading the runs" /> : null}
        {first === undefined ? null : <Comparison first={first} states={shown} />}
        {opened.length === 0 ? (
          <div className="empty tall">
            <h2>Nothing to compare yet</h2>
            <p>
              Select two or more runs in the list and choose Compare to see the parameters that differ, both
              sweeps on one axis, and every level with its ratio to the baseline.
            </p>
            <Button leftSection={<IconList size={16} aria-hidden="true" />} onClick={wayTo({ page: 'runs' })}>
              Choose runs
            </Button>
          </div>
        ) : null}
      </div>
    </Page>
  );
}
