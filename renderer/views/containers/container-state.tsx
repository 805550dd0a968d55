import {
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
} from '@tabler/icons-react';
import type { ContainerInfo, ContainerState } from '../../../main/contract/docker';
import { type Look, Status } from '../../components/status-text';
import { containerStateText, exitCode } from './container-text';

const looks: Readonly<Record<ContainerState, Look>> = {
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
  const look = code !== null && code !== 0 ? looks.dead : looks[state];
  return (
    <div title={status}>
      <Status {...look} data-state={state}>
        {containerStateText[state]}
      </Status>
      <div className="second-line">{code === null ? null : `code ${code}`}</div>
    </div>
  );
}
