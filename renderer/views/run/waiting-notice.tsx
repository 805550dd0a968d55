import { IconHourglass } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { RunWait } from '../../../main/contract/run-wait';
import { waitRemedy, waitText } from '../../../main/contract/run-wait';
import { useWorkbench } from '../../workbench';

/** Says what this run waits for, and what ends the wait. */
export function WaitingNotice({ waitsFor }: { waitsFor: RunWait }) {
  const { runs, presets, route } = useWorkbench();
  const row = useStore(runs, (list) => list.value?.find((run) => run.runId === waitsFor.what));
  const title = useStore(presets, (list) => list.value?.find((preset) => preset.id === row?.preset)?.title);
  return (
    <section className="panel verdict waiting" role="status">
      <IconHourglass size={15} aria-hidden="true" />{' '}
      {row === undefined ? (
        waitText(waitsFor)
      ) : (
        <>
          Waiting for{' '}
          <button
            type="button"
            className="plain-button link"
            onClick={() => {
              route.getState().go({ page: 'run', runId: row.runId });
            }}
          >
            {title ?? row.preset} · {row.format} {row.precision} · {row.profile}
          </button>
          .
        </>
      )}{' '}
      {waitRemedy(waitsFor)}
    </section>
  );
}
