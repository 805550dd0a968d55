import { createElement, useEffect } from 'react';
import { runStatusText } from '../format/words';
import { useWorkbench } from '../workbench';
import { ActionMessage } from './action-message';
import { noticeAction } from './notices';

/** A notice of a run that ended while another page was shown, which opens it. */
export function useRunEndNotice(): void {
  const { client, route, runs } = useWorkbench();
  useEffect(
    () =>
      client.on((events) => {
        for (const event of events) {
          if (event.type !== 'journal' || event.entry.type !== 'run-finished') continue;
          const { route: shown } = route.getState();
          if (shown.page === 'run' && shown.runId === event.runId) continue;
          const row = runs.getState().value?.find((run) => run.runId === event.runId);
          // Figures of a file are there at once: nothing ran.
          if (row === undefined || row.imported !== null) continue;
          const name = row.name ?? `${row.preset}, ${row.format} ${row.precision}`;
          const title = `Run ended: ${runStatusText[event.entry.outcome].toLowerCase()}`;
          const { runId } = event;
          noticeAction(`ended-${runId}`, (close) =>
            createElement(ActionMessage, {
              title,
              text: name,
              action: 'Open run',
              onAction: () => {
                route.getState().go({ page: 'run', runId });
                close();
                return Promise.resolve();
              },
            }),
          );
        }
      }),
    [client, route, runs],
  );
}
