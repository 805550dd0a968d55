import { Progress } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { formatMs, formatRate, missing } from '../../../main/contract/numbers';
import type { StudyDetail, StudyLevel, StudyRow } from '../../../main/contract/study/study';
import { durationText } from '../../../main/domain/run/time-left';
import { ChartPanel } from '../../charts/chart-panel';
import { ErrorPanel } from '../../components/error-panel';
import { PageLink } from '../../components/links';
import { Loading } from '../../components/loading';
import { Panel } from '../../components/panel';
import { RunStatusText, Status } from '../../components/status-text';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { useChartTheme } from '../../components/use-chart-theme';
import { pollWhileSeen } from '../../stores/poll';
import { createResource } from '../../stores/resource';
import { useWorkbench } from '../../workbench';
import { StudyActions } from './study-actions';
import { choiceText, studyChart } from './study-chart';
import { studyStyle } from './study-state';

const pollEveryMs = 2000;

function Level({ level }: { level: StudyLevel | null }) {
  return (
    <>
      <td className="number">{level === null ? missing : formatRate(level.inferencesPerSecond)}</td>
      <td className="number">{formatMs(level?.p99Us)}</td>
      <td title={level?.text}>
        {level === null ? missing : level.steady ? 'Steady' : <span className="tone-warn">Not steady</span>}
      </td>
    </>
  );
}

function Row({ row }: { row: StudyRow }) {
  const { number, runId, status, state, reason, accuracy, gpu, host } = row;
  return (
    <tr data-trial={number}>
      <td className="number">{number}</td>
      <td>
        {runId === null ? (
          choiceText(row)
        ) : (
          <PageLink to={{ page: 'run', runId }} title={runId}>
            {choiceText(row) || runId}
          </PageLink>
        )}
      </td>
      <td>{[gpu, host].filter((part) => part !== null).join(', ') || missing}</td>
      <td title={reason ?? undefined}>
        {status === null ? (
          <span className="dim">{state}</span>
        ) : (
          <RunStatusText status={status} text={state} />
        )}
      </td>
      <td>{accuracy ?? missing}</td>
      <Level level={row.offline} />
      <Level level={row.online} />
    </tr>
  );
}

const headings = [
  numeric('Run'),
  'Choice',
  'Device',
  'State',
  'Accuracy',
  numeric('Offline (inferences/s)'),
  numeric('Offline p99 (ms)'),
  'Offline state',
  numeric('Online (inferences/s)'),
  numeric('Online p99 (ms)'),
  'Online state',
];

function Charts({ study }: { study: StudyDetail }) {
  const theme = useChartTheme();
  const { name, rows } = study;
  const charts = useMemo(
    () => ({ throughput: studyChart(rows, 'throughput', theme), p99: studyChart(rows, 'p99', theme) }),
    [rows, theme],
  );
  if (rows.every(({ offline, online }) => (offline ?? online) === null)) return null;
  return (
    <div className="charts">
      <ChartPanel
        id="throughput"
        title="Throughput by run"
        chart={charts.throughput}
        height={220}
        fileName={name}
      />
      <ChartPanel id="p99" title="p99 latency by run" chart={charts.p99} height={220} fileName={name} />
    </div>
  );
}

function Body({ study, onRemoved }: { study: StudyDetail; onRemoved: () => void }) {
  const { name, rows, sentence, secondsLeft, complete, interrupted, underWay } = study;
  const leftOut = rows.filter(({ state }) => state === 'Left out').length;
  const reasons = rows.flatMap(({ number, reason }) => (reason === null ? [] : [`Run ${number}: ${reason}`]));
  return (
    <Panel
      title={name}
      note={<Status {...studyStyle(study)} data-study-state={study.state} />}
      head={<StudyActions study={study} onRemoved={onRemoved} />}
    >
      <div className="column panel-body stack">
        <p role="status">
          {sentence}
          {secondsLeft === null ? '' : `, about ${durationText(secondsLeft)} left`}.
          {interrupted ? ' Its process ended before it did; Resume continues it.' : ''}
        </p>
        <Progress
          value={(100 * complete) / Math.max(1, rows.length - leftOut)}
          aria-label={`Complete runs of ${name}`}
        />
        {underWay.length === 0 ? null : (
          <ul className="dim" aria-label="In progress">
            {underWay.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        <Charts study={study} />
        <ScrollTable label={`Runs of ${name}`}>
          <TableHead headings={headings} />
          <tbody>
            {rows.map((row) => (
              <Row key={row.number} row={row} />
            ))}
          </tbody>
        </ScrollTable>
        {reasons.length === 0 ? null : (
          <ul className="dim" aria-label="Reasons">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

/** One study, live or ended. */
export function StudyPanel({ name, onRemoved }: { name: string; onRemoved: () => void }) {
  const { client, studies } = useWorkbench();
  const detail = useMemo(() => createResource(() => client.call('studies.get', { name })), [client, name]);
  const { value, error, load } = useStore(detail);
  useEffect(() => pollWhileSeen(document, load, pollEveryMs), [load]);
  const state = value?.state;
  // The list above says the same of it.
  useEffect(() => {
    if (state !== undefined) void studies.getState().load();
  }, [state, studies]);
  if (error !== null) return <ErrorPanel error={error} />;
  return value === null ? (
    <Loading label="Reading the study" />
  ) : (
    <Body study={value} onRemoved={onRemoved} />
  );
}
