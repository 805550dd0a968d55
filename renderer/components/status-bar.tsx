import { IconAlertTriangle, IconCircleCheck, IconCpu, IconLoader2, IconServer2 } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { formatBytes } from '../../main/contract/numbers';
import { useWorkbench } from '../workbench';
import { DockerStatus } from './docker-status';
import { FailedStatus } from './failed-status';
import { MonitorStatus } from './monitor-status';

/** Engine, running work, problems, hardware; each opens its page. In a narrow window the last items go first, each as a whole. */
export function StatusBar() {
  const { machine, runs, route, app } = useWorkbench();
  const status = useStore(machine, (state) => state.value);
  const list = useStore(runs, (state) => state.value) ?? [];
  const info = useStore(app, (state) => state.value);
  const running = list.filter((run) => run.status === 'running');
  const local = status?.engines.find((engine) => engine.kind === 'local');
  const gpus = status?.environment.gpus ?? [];
  const go = route.getState().go;
  return (
    <footer className="status-bar" aria-label="Status">
      {local === undefined ? null : (
        <button
          type="button"
          className="plain-button status-bar-item"
          onClick={() => {
            go({ page: 'environment' });
          }}
        >
          <IconServer2 size={14} aria-hidden="true" />
          local
          {local.version === null ? '' : ` · Triton ${local.version}`}
          <span className={local.available ? 'status tone-good' : 'status tone-bad'}>
            {local.available ? (
              <IconCircleCheck size={14} aria-hidden="true" />
            ) : (
              <IconAlertTriangle size={14} aria-hidden="true" />
            )}
            {local.available ? 'available' : 'not available'}
          </span>
        </button>
      )}
      <DockerStatus />
      <MonitorStatus />
      <button
        type="button"
        className="plain-button status-bar-item"
        onClick={() => {
          const only = running.length === 1 ? running[0] : undefined;
          go(only === undefined ? { page: 'runs' } : { page: 'run', runId: only.runId });
        }}
      >
        {running.length > 0 ? <IconLoader2 size={14} aria-hidden="true" className="turning" /> : null}
        {running.length === 0 ? 'No run in progress' : `${running.length} running`}
      </button>
      <FailedStatus />
      {status === null ? null : (
        <button
          type="button"
          className="plain-button status-bar-item"
          onClick={() => {
            go({ page: 'environment' });
          }}
        >
          <IconCpu size={14} aria-hidden="true" />
          {gpus.length === 0
            ? `${status.environment.cpuCount} CPUs · ${formatBytes(status.environment.memoryBytes)} · no GPU`
            : gpus.map((gpu) => gpu.name).join(', ')}
        </button>
      )}
      {info === null ? null : <span className="status-bar-item last">Workbench {info.version}</span>}
    </footer>
  );
}
