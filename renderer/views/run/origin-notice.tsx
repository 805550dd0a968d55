import { Button } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { originText } from '../../../main/contract/run-origin';
import type { RunState } from '../../../main/contract/run-state';
import { attempt } from '../../components/notices';
import { doRunWork, worksFor } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';

/** Says that a run was created elsewhere, and offers to trust it in the place of resuming it. */
export function OriginNotice({
  state,
}: {
  state: Pick<RunState, 'runId' | 'origin' | 'status' | 'imported'>;
}) {
  const { client, run } = useWorkbench();
  const [busy, setBusy] = useState(false);
  const { runId, origin, status, imported } = state;
  const text = originText[origin];
  if (text === null) return null;
  const goesOn = worksFor(status).includes('resume');
  return (
    <section className="panel panel-body stack" role="status">
      {text}
      {origin === 'foreign' && imported === null ? (
        <div>
          <Button
            size="xs"
            variant="default"
            loading={busy}
            title="Shows the files, images and paths that the run would use, and asks for confirmation"
            leftSection={<IconShieldCheck size={14} aria-hidden="true" />}
            onClick={() => {
              setBusy(true);
              attempt(async () => {
                try {
                  await client.call('runs.trust', { runId });
                  if (goesOn) await doRunWork(client, runId, 'resume');
                  await run.getState().open(runId);
                } finally {
                  setBusy(false);
                }
              });
            }}
          >
            {goesOn ? 'Trust and continue…' : 'Trust this run…'}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
