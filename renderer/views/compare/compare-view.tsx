import { Button, SegmentedControl } from '@mantine/core';
import { IconList } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { baselineSeries } from '../../../main/contract/baseline-points';
import type { Scenario } from '../../../main/contract/run-events';
import type { RunState } from '../../../main/contract/run-state';
import { ChartPanel } from '../../charts/chart-panel';
import { compareChart } from '../../charts/compare-chart';
import { BaselineNote, BaselinePicker, useBaseline } from '../../components/baseline-picker';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useChartTheme } from '../../components/use-chart-theme';
import { useWorkbench } from '../../workbench';
import { compareLevels } from './compare-levels';
import { DifferenceTable } from './difference-table';
import { diffSpecs } from './diff-specs';
import { LevelTable } from './level-table';
import { RunLegend } from './run-legend';
import { runNames } from './run-names';

/** @param first of the states: what the others, and published figures, are held against. */
function Comparison({ first, states }: { first: RunState; states: readonly RunState[] }) {
  const { presets } = useWorkbench();
  const known = useStore(presets, (list) => list.value);
  const theme = useChartTheme();
  const [scenario, setScenario] = useState<Scenario>('online');
  const names = useMemo(
    () => runNames(states, (id) => known?.find((preset) => preset.id === id)?.title ?? id),
    [states, known],
  );
  const baseline = useBaseline(first);
  const published = useMemo(
    () => baselineSeries(baseline.shown, scenario, first.spec),
    [baseline.shown, scenario, first],
  );
  const charts = useMemo(() => {
    const series = states.map((state, index) => ({ name: `Run ${index + 1}`, state }));
    return {
      throughput: compareChart(series, scenario, 'throughput', theme, published),
      p99: compareChart(series, scenario, 'p99', theme, published),
    };
  }, [states, scenario, theme, published]);
  const levels = useMemo(() => compareLevels(states, scenario), [states, scenario]);
  const differences = useMemo(
    () => diffSpecs(states.map((state) => (state.imported === null ? state.spec : null))),
    [states],
  );
  const sweep = scenario === 'offline' ? 'batch size' : 'concurrency';
  return (
    <>
      <RunLegend states={states} names={names} />
      <DifferenceTable differences={differences} names={names} />
      <div className="measurements-head">
        <SegmentedControl
          size="xs"
          aria-label="Scenario"
          value={scenario}
          onChange={(value) => {
            setScenario(value === 'offline' ? 'offline' : 'online');
          }}
          data={[
            { value: 'offline', label: 'Offline · batch size' },
            { value: 'online', label: 'Online · concurrency' },
          ]}
        />
        <BaselinePicker runId={first.runId} baseline={baseline} />
      </div>
      <BaselineNote baseline={baseline} quick={first.spec.model.profile === 'quick'} />
      <div className="charts">
        <ChartPanel
          id="throughput"
          title={`Throughput by ${sweep}`}
          chart={charts.throughput}
          height={230}
          fileName={`compare-${scenario}`}
        />
        <ChartPanel
          id="p99"
          title={`p99 latency by ${sweep}`}
          chart={charts.p99}
          height={230}
          fileName={`compare-${scenario}`}
        />
      </div>
      {levels.length === 0 ? (
        <p className="dim">None of these runs has measured a level of this scenario yet.</p>
      ) : (
        <LevelTable scenario={scenario} levels={levels} names={names} baseline={published} />
      )}
    </>
  );
}

/** Two or more runs side by side. */
export function CompareView({ runIds }: { runIds: readonly string[] }) {
  const { compared, route } = useWorkbench();
  const { states, errors, open, runIds: opened } = useStore(compared);
  const wanted = runIds.join('\n');
  useEffect(() => {
    void open(wanted === '' ? [] : wanted.split('\n'));
  }, [open, wanted]);
  const shown = useMemo(
    () =>
      opened.flatMap((runId) => {
        const state = states[runId];
        return state === undefined || errors[runId] !== undefined ? [] : [state];
      }),
    [opened, states, errors],
  );
  const failed = opened.flatMap((runId) => {
    const error = errors[runId];
    return error === undefined ? [] : [{ runId, error }];
  });
  const [first] = shown;
  const waiting = opened.length > shown.length + failed.length;
  return (
    <Page
      title="Compare"
      after={shown.length === 0 ? null : <span className="dim">{shown.length} runs</span>}
    >
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
              Tick two or more runs in the list and choose Compare: parameters that differ, both sweeps on one
              axis, and every level with its ratio to the first run.
            </p>
            <Button
              leftSection={<IconList size={16} aria-hidden="true" />}
              onClick={() => {
                route.getState().go({ page: 'runs' });
              }}
            >
              Choose runs
            </Button>
          </div>
        ) : null}
      </div>
    </Page>
  );
}
