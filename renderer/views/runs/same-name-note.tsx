import { useStore } from 'zustand';
import { useWorkbench } from '../../workbench';

export function SameNameNote({ name, runId }: { name: string; runId: string | null }) {
  const { runs } = useWorkbench();
  const wanted = name.trim();
  const isTaken = useStore(
    runs,
    ({ value }) => wanted !== '' && (value ?? []).some((run) => run.name === wanted && run.runId !== runId),
  );
  return (
    <span role="status" className="same-name tone-warn">
      {isTaken ? 'Another run has this name. In commands, use the run ID instead.' : null}
    </span>
  );
}
