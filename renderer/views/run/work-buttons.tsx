import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { stepTitle } from '../../../main/contract/step-text';
import type { RunState } from '../../../main/contract/run-state';
import { attempt, noticeDone } from '../../components/notices';
import type { RunWork } from '../../stores/run-work';
import { doRunWork, worksFor } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';

const looks = {
  pause: { icon: IconPlayerPause, label: 'Pause' },
  cancel: { icon: IconPlayerStop, label: 'Cancel run' },
  resume: { icon: IconPlayerPlay, label: 'Resume' },
} as const;

/** Pause, cancel, resume: what fits the state. A run that a step has stopped is resumed by that step. */
export function WorkButtons({ state }: { state: RunState }) {
  const { client, run } = useWorkbench();
  const [busy, setBusy] = useState<RunWork | null>(null);
  const { runId, status } = state;
  const failed = state.steps.find((step) => step.status === 'failed');
  const act = (work: RunWork): void => {
    setBusy(work);
    attempt(async () => {
      try {
        await doRunWork(client, runId, work);
        if (work === 'pause')
          noticeDone('Pausing', 'The run stops when the level or step under way has ended.');
        if (work === 'resume') await run.getState().open(runId);
      } finally {
        setBusy(null);
      }
    });
  };
  return worksFor(status).map((work) => {
    const { icon: WorkIcon, label } = looks[work];
    return (
      <Button
        key={work}
        size="xs"
        variant={work === 'resume' ? 'filled' : 'default'}
        loading={busy === work}
        leftSection={<WorkIcon size={14} aria-hidden="true" />}
        title={work === 'resume' && failed !== undefined ? `Tries ${stepTitle[failed.id]} again` : undefined}
        onClick={() => {
          act(work);
        }}
      >
        {label}
      </Button>
    );
  });
}
