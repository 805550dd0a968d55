import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import type { DeploymentInfo, DeploymentModelInfo } from '../../../main/contract/deployment';
import { TextAction } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt, noticeDone } from '../../components/notices';
import { useWorkbench } from '../../workbench';

/** Returns to the version before, after a question: the present one is then deleted. */
export function RollbackAction({
  deployment,
  model,
  to,
}: {
  deployment: DeploymentInfo;
  model: DeploymentModelInfo;
  to: number;
}) {
  const { client } = useWorkbench();
  const [asking, setAsking] = useState(false);
  const { id, work, state } = deployment;
  const serves = state === 'ready' || state === 'degraded';
  if (asking) {
    return (
      <ConfirmInPlace
        question={`Return ${model.name} to version ${to}? Version ${model.version} is removed.`}
        action="Roll back"
        onConfirm={() => {
          setAsking(false);
          attempt(async () => {
            await client.call('deployments.rollback', { id, model: model.name });
            noticeDone('Rolled back', `${model.name} serves version ${to} again.`);
          });
        }}
        onCancel={() => {
          setAsking(false);
        }}
      />
    );
  }
  return (
    <TextAction
      icon={IconArrowBackUp}
      text="Roll back"
      label={`Roll back ${model.name} of ${id} to version ${to}`}
      why={work ?? (serves ? null : 'The deployment is not serving')}
      busy={false}
      onClick={() => {
        setAsking(true);
      }}
    />
  );
}
