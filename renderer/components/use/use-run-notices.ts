import { useEffect } from 'react';
import { formatCount } from '../../../main/contract/numbers';
import type { RunOutcome } from '../../../main/contract/run/run-events';
import { runStatusText } from '../../format/words';
import { restoreRuns } from '../../stores/run-work';
import { useWorkbench, type Workbench } from '../../workbench';
import { noticeAction } from '../action-message';

function noticeRetired(workbench: Workbench, runIds: readonly string[]): void {
  const count = runIds.length === 1 ? '1 run' : `${formatCount(runIds.length)} runs`;
  noticeAction('runs-retired', {
    title: `${count} moved to the trash`,
    text: 'Older than “Keep runs for” in Settings',
    action: 'Undo',
    onAction: () => restoreRuns(workbench, runIds),
  });
}

function noticeEnded({ route, runs }: Workbench, runId: string, outcome: RunOutcome): void {
  const { route: shown, go } = route.getState();
  if (shown.page === 'run' && shown.runId === runId) return;
  const row = runs.getState().value?.find((run) => run.runId === runId);
  // The page of its study shows it, each of hundreds.
  if (shown.page === 'studies' && row?.matrix !== undefined) return;
  // Imported: nothing ran.
  if (row === undefined || row.imported !== null) return;
  noticeAction(`ended-${runId}`, {
    title: `Run ended: ${runStatusText[outcome].toLowerCase()}`,
    text: row.name ?? `${row.preset}, ${row.format} ${row.precision}`,
    action: 'Open run',
    onAction: () => {
      go({ page: 'run', runId });
      return Promise.resolve();
    },
  });
}

export function useRunNotices(): void {
  const workbench = useWorkbench();
  useEffect(
    () =>
      workbench.client.on((events) => {
        for (const event of events) {
          if (event.type === 'runs-retired') noticeRetired(workbench, event.runIds);
          if (event.type !== 'journal' || event.entry.type !== 'run-finished') continue;
          noticeEnded(workbench, event.runId, event.entry.outcome);
        }
      }),
    [workbench],
  );
}
