import { IconActivity, IconAlertTriangle } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { useWorkbench } from '../workbench';

const tones = { up: 'good', starting: 'info', 'not-ready': 'warn', gone: 'bad' } as const;
const words = { up: 'up', starting: 'starting', 'not-ready': 'not ready', gone: 'gone' } as const;

/** The server that is watched, and how many alerts fire, in the status bar. */
export function MonitorStatus() {
  const { monitor, route } = useWorkbench();
  const source = useStore(monitor, (state) => state.state?.source ?? null);
  const server = useStore(monitor, (state) => state.sample?.server.state ?? null);
  const reached = useStore(monitor, (state) => (state.sample?.server.version ?? null) !== null);
  const firing = useStore(
    monitor,
    (state) => state.alerts.filter((alert) => alert.state === 'firing').length,
  );
  if (source === null) return null;
  return (
    <button
      type="button"
      className="plain-button status-bar-item"
      data-monitor={server}
      onClick={() => {
        route.getState().go({ page: 'monitor' });
      }}
    >
      <IconActivity size={14} aria-hidden="true" />
      {source.kind === 'live' ? source.url.replace(/^http:\/\//, '') : 'Replay'}
      {server === null ? null : (
        <span className={`status tone-${tones[server]}`}>
          {server === 'gone' && !reached ? 'not reached' : words[server]}
        </span>
      )}
      {firing === 0 ? null : (
        <span className="status tone-bad">
          <IconAlertTriangle size={14} aria-hidden="true" />
          {firing === 1 ? '1 alert' : `${firing} alerts`}
        </span>
      )}
    </button>
  );
}
