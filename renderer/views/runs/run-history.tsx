import { useStore } from 'zustand';
import { titleWithUnit } from '../../../main/contract/measured/column';
import { p99, throughput } from '../../../main/contract/measured/columns';
import { formatMs, missing } from '../../../main/contract/numbers';
import type { RunSummary } from '../../../main/contract/run/run-outcome';
import { historyOf } from '../../../main/domain/measured/verdict';
import { PageLink } from '../../components/links';
import { Panel } from '../../components/panel';
import { RunStatusText } from '../../components/status-text';
import { numeric, ScrollTable, TableHead } from '../../components/table';
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

export function RunHistory({ runId }: { runId: string }) {
  const { runs } = useWorkbench();
  const list = useStore(runs, ({ value }) => value);
  const history = historyOf(list ?? [], runId);
  if (history.length < 2) return null;
  return (
    <Panel title="Runs of this model" note="same format and precision, newest first">
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
