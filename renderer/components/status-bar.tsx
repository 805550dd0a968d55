import { IconAlertTriangle, IconCircleCheck, IconCpu, IconLoader2, IconServer2 } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { formatBytes } from '../format/numbers';
import { useWorkbench } from '../workbench';
import { DockerStatus } from './docker-status';
import { MonitorStatus } from './monitor-status';

/** Engine, hardware, running work, problems; each opens its page. */
export function StatusBar() {
  const { machine, runs, route, app } = useWorkbench();
  const status = useStore(machine, (state) => state.value);
  const list = useStore(runs, (state) => state.value) ?? [];
  const info = useStore(app, (state) => state.value);
  const running = list.filter((run) => run.status === 'running');
  const ended = list.filter((run) => run.status === 'failed' || run.status === 'gate-failed');
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
      <button
        type="button"
        className="plain-button status-bar-item"
        onClick={() => {
          const only = running.length === 1 ? running[0] : undefined;
          go(only === undefined ? { page: 'runs' } : { page: 'run', runId: only.runId });
        }}
      >
        {running.length > 0 ? <IconLoader2 size={14} aria-hidden="true" className="turning" /> : null}
        {running.length === 0 ? 'No run under way' : `${running.length} running`}
      </button>
      {ended.length === 0 ? null : (
        <button
          type="button"
          className="plain-button status-bar-item"
          onClick={() => {
            go({ page: 'runs' });
          }}
        >
          <IconAlertTriangle size={14} aria-hidden="true" />
          {ended.length} failed
        </button>
      )}
      {info === null ? null : <span className="status-bar-item last">Workbench {info.version}</span>}
    </footer>
  );
}
