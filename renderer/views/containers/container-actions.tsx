import { IconPlayerPlay, IconPlayerStop, IconRefresh, IconTerminal2, IconTrash } from '@tabler/icons-react';
import type { Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { IconAction } from '../../components/icon-action';
import { attempt, noticeDone } from '../../components/notices';
import type { ContainerAction } from '../../stores/docker';
import { useWorkbench } from '../../workbench';
import { whyNot } from './container-text';

const looks: Readonly<Record<ContainerAction, { readonly icon: Icon; readonly label: string }>> = {
  start: { icon: IconPlayerPlay, label: 'Start' },
  stop: { icon: IconPlayerStop, label: 'Stop' },
  restart: { icon: IconRefresh, label: 'Restart' },
  remove: { icon: IconTrash, label: 'Remove' },
};

/** What can be done with a container; removing one that works is asked about first. */
export function ContainerActions({ container, connected }: { container: ContainerInfo; connected: boolean }) {
  const { docker } = useWorkbench();
  const { busy, act } = useStore(docker);
  const [asking, setAsking] = useState(false);
  const [asked, setAsked] = useState(false);
  const { id, name, state, shellCommand } = container;
  const running = state === 'running' || state === 'paused' || state === 'restarting';
  const start = (action: ContainerAction): void => {
    attempt(() => act(action, id));
  };
  const button = (action: ContainerAction, onClick: () => void) => {
    const { icon, label } = looks[action];
    const doing = busy[id];
    const why = doing === undefined ? whyNot(action, state, connected) : 'Another action is under way';
    return (
      <IconAction
        icon={icon}
        label={`${label} ${name}`}
        why={why}
        busy={doing === action}
        autoFocus={action === 'remove' && asked}
        onClick={onClick}
      />
    );
  };
  const plain = (action: ContainerAction) =>
    button(action, () => {
      start(action);
    });
  if (asking) {
    return (
      <ConfirmInPlace
        question="Stop and remove it?"
        action="Remove"
        onConfirm={() => {
          setAsking(false);
          start('remove');
        }}
        onCancel={() => {
          setAsking(false);
        }}
      />
    );
  }
  return (
    <span className="row-actions">
      {plain(running ? 'stop' : 'start')}
      {plain('restart')}
      <IconAction
        icon={IconTerminal2}
        label={`Copy shell command of ${name}`}
        why={running ? null : 'A shell needs a running container'}
        busy={false}
        onClick={() => {
          attempt(async () => {
            await navigator.clipboard.writeText(shellCommand);
            noticeDone('Shell command copied', shellCommand);
          });
        }}
      />
      {button('remove', () => {
        setAsking(running);
        setAsked(running);
        if (!running) start('remove');
      })}
    </span>
  );
}
