import { IconActivity, IconArrowUp, IconHourglass } from '@tabler/icons-react';
import { useState } from 'react';
import type { DeploymentInfo, DeploymentState } from '../../../main/contract/deployment/deployment';
import { present } from '../../../main/contract/trees';
import { IconAction, TextAction } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt, attempting } from '../../components/notices';
import { useWorkbench } from '../../workbench';
import { actionStyles } from '../containers/container-actions';

type Change = keyof typeof actionStyles;

const isUp = (state: DeploymentState): boolean =>
  state === 'ready' || state === 'degraded' || state === 'starting';

const questions: Readonly<Record<Exclude<Change, 'start'>, (id: string) => string>> = {
  stop: (id) => `Stop ${id}? Its clients get no more responses.`,
  restart: (id) => `Restart ${id}? Its clients get no responses meanwhile.`,
  remove: (id) => `Delete ${id} and its copy of the model? The run is kept.`,
};

export function DeploymentActions({ deployment }: { deployment: DeploymentInfo }) {
  const { client, overlay, route } = useWorkbench();
  const [asking, setAsking] = useState<Exclude<Change, 'start'> | null>(null);
  const { id, state, work, models, httpUrl, metricsUrl, host } = deployment;
  const change = (what: Change): void =>
    attempt(async () => {
      if (what === 'remove') await client.call('deployments.remove', { id, force: true });
      else await client.call(`deployments.${what}`, { id });
    });
  if (asking !== null) {
    return (
      <ConfirmInPlace
        question={questions[asking](id)}
        action={actionStyles[asking].label}
        onConfirm={() => {
          setAsking(null);
          change(asking);
        }}
        onCancel={() => setAsking(null)}
      />
    );
  }
  const button = (what: Change, onClick: () => void) => (
    <IconAction
      icon={actionStyles[what].icon}
      label={`${actionStyles[what].label} ${id}`}
      why={work}
      onClick={onClick}
    />
  );
  const asked = (what: Exclude<Change, 'start'>) => button(what, () => setAsking(what));
  return (
    <span className="row-actions end">
      <TextAction
        icon={IconActivity}
        text="Monitor"
        label={`Monitor ${id}`}
        why={isUp(state) ? null : 'The deployment is not serving'}
        onClick={attempting(async () => {
          await client.call('monitor.start', { url: httpUrl, metricsUrl, ...present({ host }) });
          route.getState().go({ page: 'monitor' });
        })}
      />
      <IconAction
        icon={IconHourglass}
        label={`Soak ${id}: the same load for hours, to see whether memory grows`}
        why={isUp(state) ? null : 'The deployment is not serving'}
        onClick={() => overlay.getState().soak({ deployment: id })}
      />
      <IconAction
        icon={IconArrowUp}
        label={`Try another release for ${id}: the same files in another serving environment, in turns`}
        why={models.length === 1 ? null : 'Only a deployment of one model can be moved'}
        onClick={() => overlay.getState().tryRelease({ deployment: id })}
      />
      {isUp(state) ? asked('stop') : button('start', () => change('start'))}
      {asked('restart')}
      {asked('remove')}
    </span>
  );
}
