import { useMemo } from 'react';
import { useStore } from 'zustand';
import { titleWithUnit } from '../../../main/contract/measured/column';
import { p99, throughput } from '../../../main/contract/measured/columns';
import { formatMs, missing } from '../../../main/contract/numbers';
import type { RunSummary } from '../../../main/contract/run/run-outcome';
import { changesOf, historyPoints } from '../../../main/domain/measured/run-changes';
import { historyOf } from '../../../main/domain/measured/verdict';
import { ChartPanel } from '../../charts/chart-panel';
import { historyChart } from '../../charts/history-chart';
import { PageLink } from '../../components/links';
import { Panel } from '../../components/panel';
import { RunStatusText } from '../../components/status-text';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { formatWhen, formatWhenFully } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { AnswerRate } from './run-row';

const headings = [
  'Run',
  'State',
  'GPU or CPU',
  'Server',
  numeric(titleWithUnit(throughput)),
  numeric(titleWithUnit(p99)),
];

const known = (text: string): string => (text === '' ? missing : text);

const titleOf = ({ name, createdAt }: Pick<RunSummary, 'name' | 'createdAt'>): string =>
  [name, formatWhen(createdAt)].filter(Boolean).join(', ');

const charts = [
  ['throughput', 'Throughput by run, over time'],
  ['p99', 'p99 latency by run, over time'],
] as const;

export function RunHistory({ runId }: { runId: string }) {
  const { runs } = useWorkbench();
  const theme = useChartTheme();
  const list = useStore(runs, ({ value }) => value);
  const history = useMemo(() => historyOf(list ?? [], runId), [list, runId]);
  const points = useMemo(() => historyPoints(history), [history]);
  const changes = useMemo(() => changesOf(points), [points]);
  const drawn = useMemo(
    () => charts.map(([of, title]) => ({ of, title, chart: historyChart(points, changes, of, theme) })),
    [points, changes, theme],
  );
  if (history.length < 2) return null;
  return (
    <Panel title="Runs of this model" note="same format and precision, newest first">
      {points.length < 2 ? null : (
        <>
          <div className="charts">
            {drawn.map(({ of, title, chart }) => (
              <ChartPanel
                key={of}
                id={`history-${of}`}
                title={title}
                chart={chart}
                height={200}
                fileName="runs"
              />
            ))}
          </div>
          <ul className="run-changes" aria-label="Changes larger than the noise">
            {changes.length === 0 ? (
              <li className="dim">No change between these runs is larger than the noise.</li>
            ) : (
              changes.map(({ run, of, text }) => (
                <li key={`${run.runId} ${of}`}>
                  {run.runId === runId ? (
                    titleOf(run)
                  ) : (
                    <PageLink to={{ page: 'run', runId: run.runId }}>{titleOf(run)}</PageLink>
                  )}
                  : {text}
                </li>
              ))
            )}
          </ul>
        </>
      )}
      <ScrollTable label="Runs of this model">
        <TableHead headings={headings} />
        <tbody>
          {history.map(({ chosen, ...run }) => (
            <tr key={run.runId} className={run.runId === runId ? 'chosen' : undefined}>
              <td title={`${run.runId}\n${formatWhenFully(run.createdAt)}`}>
                {run.runId === runId ? (
                  <span>{titleOf(run)} (this run)</span>
                ) : (
                  <PageLink to={{ page: 'run', runId: run.runId }}>{titleOf(run)}</PageLink>
                )}
              </td>
              <td>
                <RunStatusText status={run.status} />
              </td>
              <td>{known(run.machine)}</td>
              <td>{known(run.server)}</td>
              <td className="number">
                <AnswerRate chosen={chosen} answer={run.answer} />
              </td>
              <td className="number">{formatMs(chosen?.p99Us)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  );
}
