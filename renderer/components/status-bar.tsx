import {
  IconActivity,
  IconAlertTriangle,
  IconBox,
  IconCircleCheck,
  IconCpu,
  IconLoader2,
  IconServer2,
} from '@tabler/icons-react';
import { type ComponentProps, useEffect } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../main/contract/api';
import type { DockerState } from '../../main/contract/docker';
import { watchedName } from '../../main/contract/monitor/monitor';
import { formatBytes, formatCount } from '../../main/contract/numbers';
import { isProcess } from '../../main/contract/run/engine-kinds';
import type { StudySummary } from '../../main/contract/study/study';
import { failedStates, unseenFailures } from '../stores/seen-failures';
import { useWorkbench } from '../workbench';
import { useWayTo } from './links';
import { Status } from './status-text';
import { usePoll } from './use/use-time';

const tones = { up: 'good', starting: 'info', 'not-ready': 'warn', gone: 'bad' } as const;
const monitorWords = { up: 'up', starting: 'starting', 'not-ready': 'not ready', gone: 'gone' } as const;

const Item = (props: ComponentProps<'button'>) => (
  <button type="button" className="plain-button status-bar-item" {...props} />
);

function MonitorStatus() {
  const { monitor } = useWorkbench();
  const wayTo = useWayTo();
  const source = useStore(monitor, (state) => state.state?.source ?? null);
  const server = useStore(monitor, (state) => state.sample?.server.state ?? null);
  const reached = useStore(monitor, (state) => (state.sample?.server.version ?? null) !== null);
  const firing = useStore(
    monitor,
    (state) => state.alerts.filter((alert) => alert.state === 'firing').length,
  );
  if (source === null) return null;
  return (
    <Item data-monitor={server} onClick={wayTo({ page: 'monitor' })}>
      <IconActivity size={14} aria-hidden="true" />
      {source.kind === 'live' ? watchedName(source).replace(/^http:\/\//, '') : 'Replay'}
      {server === null ? null : (
        <span className={`status tone-${tones[server]}`}>
          {server === 'gone' && !reached ? 'not reached' : monitorWords[server]}
        </span>
      )}
      {firing === 0 ? null : (
        <Status
          icon={IconAlertTriangle}
          tone="bad"
          size={14}
          text={firing === 1 ? '1 alert' : `${firing} alerts`}
        />
      )}
    </Item>
  );
}

function FailedStatus() {
  const { route, runs, runFilter, seenFailures } = useWorkbench();
  const list = useStore(runs, (state) => state.value);
  const shown = useStore(route, (state) => state.route);
  const { runIds, see } = useStore(seenFailures);
  const open = shown.page === 'run' ? shown.runId : null;
  useEffect(() => {
    if (list === null) return;
    see(
      list.filter((run) => run.runId === open),
      list,
    );
  }, [list, open, see]);
  const unseen = unseenFailures(list ?? [], runIds);
  if (unseen.length === 0) return null;
  return (
    <Item
      onClick={() => {
        const [only] = unseen;
        if (unseen.length === 1 && only !== undefined) {
          route.getState().go({ page: 'run', runId: only.runId });
          return;
        }
        runFilter.getState().clear();
        runFilter.getState().choose({ status: [...failedStates] });
        route.getState().go({ page: 'runs' });
      }}
    >
      <IconAlertTriangle size={14} aria-hidden="true" />
      {formatCount(unseen.length)} failed
    </Item>
  );
}

const styles = {
  connected: { icon: IconCircleCheck, tone: 'good' },
  connecting: { icon: IconLoader2, tone: 'info' },
  unavailable: { icon: IconAlertTriangle, tone: 'dim' },
} as const;

function words({ connection, containers }: DockerState): string {
  if (connection === 'connecting') return 'connecting';
  if (connection === 'unavailable') return 'not available';
  return containers.length === 1 ? '1 container' : `${containers.length} containers`;
}

function DockerStatus() {
  const { docker } = useWorkbench();
  const wayTo = useWayTo();
  const state = useStore(docker, (store) => store.state);
  if (state === null) return null;
  return (
    <Item data-docker={state.connection} onClick={wayTo({ page: 'containers' })}>
      <IconBox size={14} aria-hidden="true" />
      Docker
      <Status {...styles[state.connection]} size={14} text={words(state)} />
    </Item>
  );
}

function studyText({ name, runs, currentRun }: StudySummary): string {
  return currentRun === undefined
    ? `Study ${name} in progress`
    : `Study ${name}: run ${currentRun} of ${runs}`;
}

const runsOfStudies = (list: readonly RunSummary[]): string =>
  list.flatMap(({ runId, status, matrix }) => (status === 'running' && matrix ? runId : [])).join(' ');

/**
 * Asked for once the rows of all runs are there: to make them twice would hold up a start. Those of another process are
 * seen by their runs.
 */
function useRunningStudies(): readonly StudySummary[] {
  const { studies, runs, rowsToCome } = useWorkbench();
  const { value, load } = useStore(studies);
  const isWhole = useStore(rowsToCome, ({ missing, outdated }) => missing === 0 && outdated.size === 0);
  const ofStudies = useStore(runs, (state) => (state.value === null ? null : runsOfStudies(state.value)));
  useEffect(() => {
    if (isWhole && ofStudies !== null) void load();
  }, [load, isWhole, ofStudies]);
  const running = (value ?? []).filter(({ state }) => state === 'running');
  usePoll(load, running.length > 0, 5000);
  return running;
}

/** Also between two of its runs. */
function StudyStatus({ running }: { running: readonly StudySummary[] }) {
  const wayTo = useWayTo();
  const [only] = running;
  if (only === undefined) return null;
  return (
    <Item onClick={wayTo({ page: 'studies', ...(running.length === 1 ? { name: only.name } : {}) })}>
      <IconLoader2 size={14} aria-hidden="true" className="turning" />
      {running.length === 1 ? studyText(only) : `${running.length} studies in progress`}
    </Item>
  );
}

function RunningStatus({ hasStudy }: { hasStudy: boolean }) {
  const { runs } = useWorkbench();
  const wayTo = useWayTo();
  const list = useStore(runs, (state) => state.value) ?? [];
  const running = list.filter((run) => run.status === 'running');
  const only = running.length === 1 ? running[0] : undefined;
  if (hasStudy && running.length === 0) return null;
  return (
    <Item onClick={wayTo(only === undefined ? { page: 'runs' } : { page: 'run', runId: only.runId })}>
      {running.length > 0 ? <IconLoader2 size={14} aria-hidden="true" className="turning" /> : null}
      {running.length === 0 ? 'No run in progress' : `${running.length} running`}
    </Item>
  );
}

const availableStyle = { icon: IconCircleCheck, tone: 'good', text: 'available' } as const;
const missingStyle = { icon: IconAlertTriangle, tone: 'bad', text: 'not available' } as const;

/** In a narrow window the last items are hidden first, each as a whole. */
export function StatusBar() {
  const { machine, app } = useWorkbench();
  const status = useStore(machine, (state) => state.value);
  const info = useStore(app, (state) => state.value);
  const local = status?.engines.find((engine) => isProcess(engine));
  const gpus = status?.environment.gpus ?? [];
  const studies = useRunningStudies();
  const wayTo = useWayTo();
  return (
    <footer className="status-bar" aria-label="Status">
      {local === undefined ? null : (
        <Item onClick={wayTo({ page: 'environment' })}>
          <IconServer2 size={14} aria-hidden="true" />
          local
          {local.version === null ? '' : ` · Triton ${local.version}`}
          <Status {...(local.available ? availableStyle : missingStyle)} size={14} />
        </Item>
      )}
      <DockerStatus />
      <MonitorStatus />
      <StudyStatus running={studies} />
      <RunningStatus hasStudy={studies.length > 0} />
      <FailedStatus />
      {status === null ? null : (
        <Item onClick={wayTo({ page: 'environment' })}>
          <IconCpu size={14} aria-hidden="true" />
          {gpus.length === 0
            ? `${status.environment.cpuCount} CPUs · ${formatBytes(status.environment.memoryBytes)} · no GPU`
            : gpus.map((gpu) => gpu.name).join(', ')}
        </Item>
      )}
      {info === null ? null : <span className="status-bar-item last">Workbench {info.version}</span>}
    </footer>
  );
}
