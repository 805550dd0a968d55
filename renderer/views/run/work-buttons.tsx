import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { RunState } from '../../../main/contract/run-state';
import { attempt, noticeDone } from '../../components/notices';
import type { RunWork } from '../../stores/run-work';
import { doRunWork, hasFailed, worksFor } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';

const looks = {
  pause: { icon: IconPlayerPause, label: 'Pause' },
  cancel: { icon: IconPlayerStop, label: 'Cancel run' },
  resume: { icon: IconPlayerPlay, label: 'Resume' },
} as const;

/** Asked for already, or too late. */
const isAsked = (work: RunWork, stopping: 'pause' | 'cancel' | undefined): boolean =>
  stopping === 'cancel' || (stopping === 'pause' && work === 'pause');

/** Pause, cancel, resume: what fits the state. What helps a run that failed is beside its error. */
export function WorkButtons({ state }: { state: RunState }) {
  const { client, run } = useWorkbench();
  const [busy, setBusy] = useState<RunWork | null>(null);
  const { runId, status } = state;
  const stopping = useStore(run, (open) => open.stopping[runId]);
  const act = (work: RunWork): void => {
    setBusy(work);
    attempt(async () => {
      try {
        await doRunWork(client, runId, work);
        if (work === 'pause') noticeDone('Pausing', 'The run stops after the current level or step.');
        if (work === 'resume') await run.getState().open(runId);
      } finally {
        setBusy(null);
      }
    });
  };
  if (hasFailed(status)) return null;
  // A run from elsewhere is trusted first, by the button of its notice.
  const works = worksFor(status).filter((work) => work !== 'resume' || state.origin !== 'foreign');
  return works.map((work) => {
    const { icon: WorkIcon, label } = looks[work];
    return (
      <Button
        key={work}
        size="xs"
        variant={work === 'resume' ? 'filled' : 'default'}
        loading={busy === work}
        disabled={status === 'running' && isAsked(work, stopping)}
        leftSection={<WorkIcon size={14} aria-hidden="true" />}
        onClick={() => {
          act(work);
        }}
      >
        {label}
      </Button>
    );
  });
}
