import {
  type Icon,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import { IconAction } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt, attempting, noticeDone } from '../../components/notices';
import { containerTitle } from '../../format/container-title';
import type { ContainerAction } from '../../stores/docker';
import { useWorkbench } from '../../workbench';
import { whyNot } from './container-text';

type Interruption = Exclude<ContainerAction, 'start'>;

export const actionStyles: Readonly<
  Record<ContainerAction, { readonly icon: Icon; readonly label: string }>
> = {
  start: { icon: IconPlayerPlay, label: 'Start' },
  stop: { icon: IconPlayerStop, label: 'Stop' },
  restart: { icon: IconRefresh, label: 'Restart' },
  remove: { icon: IconTrash, label: 'Remove' },
};

export function ContainerActions({
  container,
  title,
  connected,
}: {
  container: ContainerInfo;
  title: string;
  connected: boolean;
}) {
  const { docker } = useWorkbench();
  const { busy, act } = useStore(docker);
  const [asking, setAsking] = useState<Interruption | null>(null);
  const { id, state, shellCommand } = container;
  const name = `${containerTitle(container)} of ${title}`;
  const running = state === 'running' || state === 'paused' || state === 'restarting';
  const start = (action: ContainerAction): void => attempt(() => act(action, id));
  const button = (action: ContainerAction, onClick: () => void) => {
    const { icon, label } = actionStyles[action];
    const doing = busy[id];
    const why = doing === undefined ? whyNot(action, state, connected) : 'Another action is in progress';
    return (
      <IconAction
        icon={icon}
        label={`${label} ${name}`}
        why={why}
        busy={doing === action}
        onClick={onClick}
      />
    );
  };
  const interrupting = (action: Interruption) =>
    button(action, () => {
      if (running) setAsking(action);
      else start(action);
    });
  if (asking !== null) {
    return (
      <ConfirmInPlace
        question={`${asking === 'remove' ? 'Stop and remove' : actionStyles[asking].label} ${name}?`}
        action={actionStyles[asking].label}
        onConfirm={() => {
          setAsking(null);
          start(asking);
        }}
        onCancel={() => setAsking(null)}
      />
    );
  }
  return (
    <span className="row-actions">
      {running ? interrupting('stop') : button('start', () => start('start'))}
      {interrupting('restart')}
      <IconAction
        icon={IconTerminal2}
        label={`Copy shell command of ${name}`}
        why={running ? null : 'The container is not running'}
        onClick={attempting(async () => {
          await navigator.clipboard.writeText(shellCommand);
          noticeDone('Shell command copied', shellCommand);
        })}
      />
      {interrupting('remove')}
    </span>
  );
}
