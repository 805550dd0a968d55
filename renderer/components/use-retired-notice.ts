import { createElement, useEffect } from 'react';
import { formatCount } from '../../main/contract/numbers';
import { useWorkbench } from '../workbench';
import { ActionMessage } from './action-message';
import { noticeAction } from './notices';

/** A notice of runs that the retention of the settings moved to the trash, with the way to bring them back. */
export function useRetiredNotice(): void {
  const { client, runs } = useWorkbench();
  useEffect(
    () =>
      client.on((events) => {
        for (const event of events) {
          if (event.type !== 'runs-retired') continue;
          const { runIds } = event;
          const count = runIds.length === 1 ? '1 run' : `${formatCount(runIds.length)} runs`;
          noticeAction('runs-retired', (close) =>
            createElement(ActionMessage, {
              title: `${count} moved to the trash`,
              text: 'Older than “Keep runs for” in Settings',
              action: 'Undo',
              onAction: async () => {
                for (const runId of runIds) await client.call('runs.restore', { runId });
                await runs.getState().load();
                close();
              },
            }),
          );
        }
      }),
    [client, runs],
  );
}
