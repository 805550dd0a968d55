import type { Icon } from '@tabler/icons-react';
import {
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react';
import type { ContainerInfo, ContainerState } from '../../../main/contract/docker';
import { containerStateText, exitCode } from './container-text';

const looks: Readonly<Record<ContainerState, { readonly icon: Icon; readonly tone: string }>> = {
  created: { icon: IconCircleDashed, tone: 'dim' },
  running: { icon: IconPlayerPlay, tone: 'good' },
  paused: { icon: IconPlayerPause, tone: 'warn' },
  restarting: { icon: IconLoader2, tone: 'info' },
  removing: { icon: IconLoader2, tone: 'info' },
  exited: { icon: IconCircleMinus, tone: 'dim' },
  dead: { icon: IconCircleX, tone: 'bad' },
};

/** Icon and word; where it has ended, its exit code; Docker's own words on hover. */
export function ContainerStateText({ container }: { container: ContainerInfo }) {
  const { state, status } = container;
  const code = exitCode(container);
  const look = code !== null && code !== 0 ? { icon: IconCircleX, tone: 'bad' } : looks[state];
  const StateIcon = look.icon;
  return (
    <div title={status}>
      <span className={`status tone-${look.tone}`} data-state={state}>
        <StateIcon
          size={15}
          aria-hidden="true"
          className={state === 'restarting' || state === 'removing' ? 'turning' : undefined}
        />
        {containerStateText[state]}
      </span>
      <div className="second-line">{code === null ? null : `code ${code}`}</div>
    </div>
  );
}
