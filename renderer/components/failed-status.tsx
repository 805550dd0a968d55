import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { formatCount } from '../../main/contract/numbers';
import { failedStates, unseenFailures } from '../stores/seen-failures';
import { useWorkbench } from '../workbench';

/** Failed runs that nobody has looked at yet; opens the list narrowed to them. */
export function FailedStatus() {
  const { route, runs, runFilter, seenFailures } = useWorkbench();
  const list = useStore(runs, (state) => state.value);
  const shown = useStore(route, (state) => state.route);
  const { runIds, see } = useStore(seenFailures);
  const open = shown.page === 'run' ? shown.runId : null;
  useEffect(() => {
    if (list === null) return;
    see(
      list.filter((run) => run.runId === open),
      list,
    );
  }, [list, open, see]);
  const unseen = unseenFailures(list ?? [], runIds);
  if (unseen.length === 0) return null;
  return (
    <button
      type="button"
      className="plain-button status-bar-item"
      onClick={() => {
        const [only] = unseen;
        if (unseen.length === 1 && only !== undefined) {
          route.getState().go({ page: 'run', runId: only.runId });
          return;
        }
        runFilter.getState().clear();
        runFilter.getState().choose({ status: [...failedStates] });
        route.getState().go({ page: 'runs' });
      }}
    >
      <IconAlertTriangle size={14} aria-hidden="true" />
      {formatCount(unseen.length)} failed
    </button>
  );
}
