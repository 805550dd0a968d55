import { IconFlame } from '@tabler/icons-react';
import { memo, useMemo } from 'react';
import { servesHere } from '../../../main/contract/run/engine-kinds';
import { isDeployed } from '../../../main/contract/run/run-source';
import { repositoryOf } from '../../../main/contract/run/run-spec';
import type { RunState } from '../../../main/contract/run/run-state';
import { type ColdRow, coldStartOf } from '../../../main/domain/measured/cold/cold-start';
import { trialColumns, trialOf } from '../../../main/domain/measured/cold/warm-up-trial';
import { ChartPanel } from '../../charts/chart-panel';
import { coldStartChart } from '../../charts/cold-start-chart';
import { SmallButton } from '../../components/actions';
import { LineList } from '../../components/line-list';
import { noticeDone } from '../../components/notices';
import { Panel } from '../../components/panel';
import { ColumnTable } from '../../components/table';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { isDeployable } from './keep-serving';

/** Whose configuration the workbench writes, and whose model it can load here. */
const isTryable = (state: RunState): boolean =>
  isDeployable(state) &&
  isDeployed(state) &&
  servesHere(state.source.spec.engine) &&
  repositoryOf(state.source.spec.model) === null;

function TryWarmUp({ runId }: { runId: string }) {
  const { client } = useWorkbench();
  const [busy, working] = useWork();
  return (
    <SmallButton
      icon={IconFlame}
      loading={busy}
      title="Measures first requests without and with a warm-up, in turns on fresh loads of a separate Triton"
      onClick={working(async () => {
        await client.call('runs.tryWarmUp', { runId });
        noticeDone('Warm-up tried', 'The panel shows the result.');
      })}
    >
      Try with warm-up
    </SmallButton>
  );
}

function FirstRequests({ rows, fileName }: { rows: readonly ColdRow[]; fileName: string }) {
  const theme = useChartTheme();
  const chart = useMemo(() => coldStartChart(rows, theme), [rows, theme]);
  return (
    <ChartPanel
      id="cold-start"
      title="First request after a load, and steady median"
      chart={chart}
      height={204}
      fileName={fileName}
      wide
    />
  );
}

/** What a start takes, and the first requests after it. Nothing for a run that neither recorded nor tried it. */
export const ColdStartPanel = memo(function ColdStartPanel({ state }: { state: RunState }) {
  const cold = useMemo(() => coldStartOf(state), [state]);
  const trial = useMemo(() => trialOf(state), [state]);
  const isOffered = isTryable(state);
  if (cold === null && trial === null && !isOffered) return null;
  return (
    <Panel title="Cold start" head={isOffered ? <TryWarmUp runId={state.runId} /> : null}>
      <div className="panel-body stack">
        {cold === null ? (
          <div className="dim">The cold start of this run was not recorded.</div>
        ) : (
          <>
            <LineList lines={cold.lines} />
            {cold.rows.length === 0 ? null : (
              <>
                <FirstRequests rows={cold.rows} fileName={state.runId} />
                <ColumnTable
                  label="First requests"
                  columns={cold.columns}
                  rows={cold.rows}
                  rowClass={({ isCold }) => (isCold === true ? 'tone-warn' : undefined)}
                />
              </>
            )}
          </>
        )}
        {trial === null ? null : (
          <>
            <h3>Tried with a warm-up</h3>
            <LineList lines={trial.lines} />
            <ColumnTable label="First requests with a warm-up" columns={trialColumns} rows={trial.rows} />
          </>
        )}
      </div>
    </Panel>
  );
});
