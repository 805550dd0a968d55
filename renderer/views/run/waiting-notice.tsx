import { IconHourglass } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { useWorkbench } from '../../workbench';

/** Says what this run waits for: one run measures on a device at a time. */
export function WaitingNotice({ waitsFor }: { waitsFor: string }) {
  const { runs, presets, route } = useWorkbench();
  const row = useStore(runs, (list) => list.value?.find((run) => run.runId === waitsFor));
  const title = useStore(presets, (list) => list.value?.find((preset) => preset.id === row?.preset)?.title);
  return (
    <section className="panel verdict waiting" role="status">
      <IconHourglass size={15} aria-hidden="true" /> Waits for{' '}
      {row === undefined ? (
        waitsFor
      ) : (
        <button
          type="button"
          className="plain-button link"
          onClick={() => {
            route.getState().go({ page: 'run', runId: row.runId });
          }}
        >
          {title ?? row.preset} · {row.format} {row.precision} · {row.profile}
        </button>
      )}
      : one run measures on this device at a time, so that neither slows the other.
    </section>
  );
}
