import { IconAlertTriangle, IconBox, IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { DockerState } from '../../main/contract/docker';
import { useWorkbench } from '../workbench';

const looks = {
  connected: { icon: IconCircleCheck, tone: 'good' },
  connecting: { icon: IconLoader2, tone: 'info' },
  unavailable: { icon: IconAlertTriangle, tone: 'dim' },
} as const;

function words({ connection, containers }: DockerState): string {
  if (connection === 'connecting') return 'connecting';
  if (connection === 'unavailable') return 'not available';
  return containers.length === 1 ? '1 container' : `${containers.length} containers`;
}

/** Docker and the workbench's own containers, in the status bar. */
export function DockerStatus() {
  const { docker, route } = useWorkbench();
  const state = useStore(docker, (store) => store.state);
  if (state === null) return null;
  const { icon: StateIcon, tone } = looks[state.connection];
  return (
    <button
      type="button"
      className="plain-button status-bar-item"
      data-docker={state.connection}
      onClick={() => {
        route.getState().go({ page: 'containers' });
      }}
    >
      <IconBox size={14} aria-hidden="true" />
      Docker
      <span className={`status tone-${tone}`}>
        <StateIcon
          size={14}
          aria-hidden="true"
          className={state.connection === 'connecting' ? 'turning' : undefined}
        />
        {words(state)}
      </span>
    </button>
  );
}
