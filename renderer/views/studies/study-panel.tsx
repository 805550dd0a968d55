import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { labelOf } from '../../../main/contract/fields/fields';
import { formatMs, formatRate, missing } from '../../../main/contract/numbers';
import type {
  SearchWinner,
  StudyDetail,
  StudyLevel,
  StudyRow,
  StudySummary,
} from '../../../main/contract/study/study';
import { lengthColumns } from '../../../main/domain/measured/by-length';
import { durationText } from '../../../main/domain/run/time-left';
import { ChartPanel } from '../../charts/chart-panel';
import { Answer } from '../../components/answer';
import { CommandText } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { PageLink } from '../../components/links';
import { Loading, ProgressBar } from '../../components/loading';
import { Panel } from '../../components/panel';
import { RunStatusText, Status } from '../../components/status-text';
import { ColumnTable, numeric, ScrollTable, TableHead } from '../../components/table';
import { useChartTheme } from '../../components/use/use-chart-theme';
import { usePoll } from '../../components/use/use-time';
import { createResource } from '../../stores/resource';
import { useWorkbench } from '../../workbench';
import { JointBody } from './joint/joint-body';
import { SearchBody } from './search/search-body';
import { SoakBody } from './soak/soak-body';
import { StudyActions } from './study-actions';
import { studyChart } from './study-chart';
import { studyStyle } from './study-state';
import { UpgradeBody } from './upgrade/upgrade-body';

function Level({ level }: { level: StudyLevel | null }) {
  return (
    <>
      <td className="number" title={level?.text}>
        {level === null ? missing : formatRate(level.inferencesPerSecond)}
        {level?.steady === false ? <div className="tone-warn small">Not steady</div> : null}
      </td>
      <td className="number">{formatMs(level?.p99Us)}</td>
    </>
  );
}

const valuesOf = ({ axes }: StudyRow): string => axes.map(({ value }) => value).join(', ');

function Row({ row }: { row: StudyRow }) {
  const { number, runId, status, state, reason, accuracy, gpu, host } = row;
  return (
    <tr data-trial={number}>
      <th scope="row">
        <span className="dim">{number}.</span>{' '}
        {runId === null ? (
          valuesOf(row)
        ) : (
          <PageLink to={{ page: 'run', runId }} title={runId}>
            {valuesOf(row) || runId}
          </PageLink>
        )}
      </th>
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

const headings = (rows: readonly StudyRow[]) => [
  rows[0] === undefined || rows[0].axes.length === 0
    ? 'Run'
    : `Run: ${rows[0].axes.map(({ field }) => labelOf(field)).join(', ')}`,
  rows.some(({ host }) => host !== null) ? 'GPU, host' : 'GPU',
  'State',
  'Accuracy',
  numeric('Offline (inferences/s)'),
  numeric('p99 (ms)', 'Offline'),
  numeric('Online (inferences/s)'),
  numeric('p99 (ms)', 'Online'),
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

function Lines({ label, lines }: { label: string; lines: readonly string[] }) {
  return lines.length === 0 ? null : (
    <ul className="dim" aria-label={label}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Winner({ winner: { argv, runId } }: { winner: SearchWinner }) {
  return (
    <div>
      <CommandText argv={argv} note="To run the best configuration:" />
      <PageLink to={{ page: 'run', runId }}>Open the run</PageLink>
    </div>
  );
}

function StudyAnswer({ study }: { study: StudyDetail }) {
  const { state, sentence, secondsLeft, interrupted, best } = study;
  const progress = `${sentence}${secondsLeft === null ? '' : `, about ${durationText(secondsLeft)} left`}.`;
  return (
    <Answer
      text={best?.sentence ?? progress}
      tone={best === undefined || best.isClear ? studyStyle(study).tone : 'warn'}
      notes={
        <>
          {best === undefined ? null : <p className="dim">{progress}</p>}
          {interrupted ? <p>The process that ran it has ended; Resume continues it.</p> : null}
          {state === 'damaged' ? <p>Its journal is damaged: it can be removed, not continued.</p> : null}
          {state === 'newer' ? (
            <p>A newer version of the workbench wrote it: update this one to see it.</p>
          ) : null}
        </>
      }
    />
  );
}

function StudyBody({ study }: { study: StudyDetail }) {
  const { name, state, rows, complete, underWay, winner, error } = study;
  const { byLength = [] } = study;
  const leftOut = rows.filter(({ state }) => state === 'Left out').length;
  const reasons = rows.flatMap(({ number, reason }) => (reason === null ? [] : [`Run ${number}: ${reason}`]));
  return (
    <>
      <StudyAnswer study={study} />
      {error === null ? null : <ErrorPanel error={error} />}
      {rows.length === 0 || state === 'done' ? null : (
        <ProgressBar
          label={`Complete runs of ${name}`}
          fraction={complete / Math.max(1, rows.length - leftOut)}
        />
      )}
      {winner === null ? null : <Winner winner={winner} />}
      <Lines label="In progress" lines={underWay} />
      <Charts study={study} />
      {rows.length === 0 ? null : (
        <ScrollTable label={`Runs of ${name}`} className="study-runs">
          <TableHead headings={headings(rows)} />
          <tbody>
            {rows.map((row) => (
              <Row key={row.number} row={row} />
            ))}
          </tbody>
        </ScrollTable>
      )}
      <Lines label="Reasons" lines={reasons} />
      {byLength.length === 0 ? null : (
        <>
          <h3>By length</h3>
          <ColumnTable
            label={`Levels of ${name} by length`}
            columns={lengthColumns(byLength)}
            rows={byLength}
          />
        </>
      )}
    </>
  );
}

/** Of its kind; that of runs where it measures nothing by itself. */
function BodyOfKind({ study }: { study: StudyDetail }) {
  const { search, joint, soak, upgrade } = study;
  if (search !== null) return <SearchBody study={study} {...search} />;
  if (joint !== null) return <JointBody study={study} {...joint} />;
  if (upgrade !== undefined) return <UpgradeBody study={study} {...upgrade} />;
  return soak === undefined ? <StudyBody study={study} /> : <SoakBody study={study} {...soak} />;
}

function Body({ study, onRemoved }: { study: StudyDetail; onRemoved: () => void }) {
  const { name, state } = study;
  return (
    <Panel
      title={name}
      note={<Status {...studyStyle(study)} data-study-state={state} />}
      head={<StudyActions study={study} onRemoved={onRemoved} />}
    >
      <div className="column panel-body stack">
        <BodyOfKind study={study} />
      </div>
    </Panel>
  );
}

/** @param props.summary of the list, which is loaded anew when the study changes */
export function StudyPanel({ summary, onRemoved }: { summary: StudySummary; onRemoved: () => void }) {
  const { client, studies } = useWorkbench();
  const { name } = summary;
  const detail = useMemo(() => createResource(() => client.call('studies.get', { name })), [client, name]);
  const { value, error, load } = useStore(detail);
  useEffect(() => void load(), [load, summary]);
  usePoll(load, value?.state === 'running', 2000);
  const isListOlder = value !== null && value.state !== summary.state;
  useEffect(() => {
    if (isListOlder) void studies.getState().load();
  }, [isListOlder, studies]);
  if (error !== null) return <ErrorPanel error={error} />;
  return value === null ? (
    <Loading label="Reading the study" />
  ) : (
    <Body study={value} onRemoved={onRemoved} />
  );
}
