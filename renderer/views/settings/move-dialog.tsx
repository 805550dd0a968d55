import { Button, Modal } from '@mantine/core';
import { useStore } from 'zustand';
import { formatBytes, formatCount } from '../../../main/contract/numbers';
import type { HomeMovePlan, HomeMoveWork } from '../../../main/contract/settings/storage';
import { ProgressBar } from '../../components/loading';
import { attempting } from '../../components/notices';
import { Facts } from '../../components/table';
import { useWorkbench } from '../../workbench';

function PlanText({ plan, onClose }: { plan: HomeMovePlan; onClose: () => void }) {
  const { client } = useWorkbench();
  const { from, to, bytes, files, freeBytes, setUpAgain } = plan;
  return (
    <div className="stack">
      <Facts
        facts={[
          ['From', from],
          ['To', to],
          ['Data', `${formatBytes(bytes)} in ${formatCount(files)} files`],
          ['Free there', formatBytes(freeBytes)],
        ]}
      />
      <p>
        Every file is copied and verified before the new folder becomes the home. The next start removes the
        old files and leaves a link in their place, so that paths in runs stay valid.
      </p>
      {setUpAgain.length === 0 ? null : (
        <p>
          Not moved: {setUpAgain.join(', ')}. These tools contain absolute paths. Set them up again after the
          move, under Environment &gt; Tools or with <code>triton-workbench setup</code> (in a clone,{' '}
          <code>npm start</code> does it); this needs a connection to the package registries.
        </p>
      )}
      <div className="buttons">
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={attempting(() => client.call('home.move', { to }))}>Move home</Button>
      </div>
    </div>
  );
}

const workTitle: Readonly<Record<HomeMoveWork['status'], string>> = {
  copying: 'Copying',
  verifying: 'Verifying',
  done: 'The home has moved',
  failed: 'The home was not moved',
  cancelled: 'The home was not moved',
};

function WorkText({ work, onClose }: { work: HomeMoveWork; onClose: () => void }) {
  const { client } = useWorkbench();
  const { status, doneBytes, totalBytes, to, problem } = work;
  const isRunning = status === 'copying' || status === 'verifying';
  return (
    <div className="stack" role="status">
      <p>{workTitle[status]}</p>
      {isRunning ? (
        <>
          <ProgressBar label={workTitle[status]} fraction={totalBytes === 0 ? 1 : doneBytes / totalBytes} />
          <p className="dim">
            {formatBytes(doneBytes)} of {formatBytes(totalBytes)}
          </p>
        </>
      ) : null}
      {problem === null ? null : <p>{problem}</p>}
      {status === 'done' ? (
        <p>The home is now {to}. Close the workbench and start it again; until then, do not start runs.</p>
      ) : null}
      <div className="buttons">
        {isRunning ? (
          <Button variant="default" onClick={attempting(() => client.call('home.cancelMove'))}>
            Cancel
          </Button>
        ) : status === 'done' ? (
          <Button data-autofocus onClick={attempting(() => client.call('desktop.close'))}>
            Close the workbench
          </Button>
        ) : (
          <Button variant="default" data-autofocus onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </div>
  );
}

export function MoveDialog({ plan, onClose }: { plan: HomeMovePlan | null; onClose: () => void }) {
  const { settings } = useWorkbench();
  const work = useStore(settings, (state) => state.move);
  const ofPlan = work !== null && (work.to === plan?.to || work.status === 'done') ? work : null;
  const canClose = ofPlan === null || ofPlan.status === 'failed' || ofPlan.status === 'cancelled';
  return (
    <Modal
      opened={plan !== null}
      onClose={() => {
        if (canClose) onClose();
      }}
      withCloseButton={canClose}
      size={620}
      title="Move the workbench home"
    >
      {plan === null ? null : ofPlan === null ? (
        <PlanText plan={plan} onClose={onClose} />
      ) : (
        <WorkText work={ofPlan} onClose={onClose} />
      )}
    </Modal>
  );
}
