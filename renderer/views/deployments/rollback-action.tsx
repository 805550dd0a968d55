import { IconArrowBackUp } from '@tabler/icons-react';
import type { DeploymentInfo, DeploymentModelInfo } from '../../../main/contract/deployment';
import { TextAction } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { attempting, noticeDone } from '../../components/notices';
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
  const { id, work, state } = deployment;
  const serves = state === 'ready' || state === 'degraded';
  return (
    <AskFirst
      question={`Return ${model.name} to version ${to}? Version ${model.version} is removed.`}
      action="Roll back"
      onConfirm={attempting(async () => {
        await client.call('deployments.rollback', { id, model: model.name });
        noticeDone('Rolled back', `${model.name} serves version ${to} again.`);
      })}
    >
      {(ask) => (
        <TextAction
          icon={IconArrowBackUp}
          text="Roll back"
          label={`Roll back ${model.name} of ${id} to version ${to}`}
          why={work ?? (serves ? null : 'The deployment is not serving')}
          onClick={ask}
        />
      )}
    </AskFirst>
  );
}
