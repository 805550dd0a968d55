import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { DockerState } from '../../../main/contract/docker';
import { usePoll } from '../../components/use-time';
import { useWorkbench } from '../../workbench';
import { ContainerTable } from './container-table';
import { sortContainers } from './container-text';
import { LogPanel } from './log-panel';

function NoContainers({ connected }: { connected: boolean }) {
  const { route } = useWorkbench();
  return (
    <div className="empty">
      <h2>{connected ? 'No containers' : 'No containers known'}</h2>
      <p>
        With the Docker engine, a deployment runs Triton and every long client step in its own container.
        Containers appear here while they run, with ports, load and log. Containers of other programs are
        never listed or touched.
      </p>
      <button
        type="button"
        className="plain-button link"
        onClick={() => {
          route.getState().go({ page: 'new' });
        }}
      >
        New deployment
      </button>
    </div>
  );
}

/** Table above, log of the selected container below. */
export function ContainersSection({ state }: { state: DockerState }) {
  const { containerLog, containerStats } = useWorkbench();
  const shownId = useStore(containerLog, (log) => log.id);
  const { containers } = state;
  const connected = state.connection === 'connected';
  const first = sortContainers(containers)[0];

  usePoll(
    containerStats.getState().load,
    connected && containers.some((container) => container.state === 'running'),
  );
  useEffect(() => {
    if (shownId === null && first !== undefined && connected) containerLog.getState().open(first);
  }, [containerLog, shownId, first, connected]);
  useEffect(
    () => () => {
      containerLog.getState().close();
    },
    [containerLog],
  );

  if (containers.length === 0 && shownId === null) return <NoContainers connected={connected} />;
  return (
    <div className="containers">
      <div className="containers-list" role="region" aria-label="List of containers" tabIndex={0}>
        {containers.length === 0 ? (
          <NoContainers connected={connected} />
        ) : (
          <ContainerTable containers={containers} connected={connected} />
        )}
      </div>
      {shownId === null ? null : (
        <LogPanel container={containers.find((container) => container.id === shownId) ?? null} />
      )}
    </div>
  );
}
