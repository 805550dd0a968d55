import { Button } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { useWorkbench } from '../workbench';
import { noticeError } from './notices';

/** Asked when the window is to be closed while runs are under way. */
export function ClosingBar() {
  const { client, closing } = useWorkbench();
  const { runIds, stay } = useStore(closing);
  const [stopping, setStopping] = useState(false);
  if (runIds === null) return null;
  const what = runIds.length === 1 ? 'A run is under way.' : `${runIds.length} runs are under way.`;
  return (
    <div
      className="closing-bar"
      role="alertdialog"
      aria-label="Close the window?"
      aria-describedby="closing-text"
    >
      <p id="closing-text">
        {what} Closing stops {runIds.length === 1 ? 'it' : 'them'}; what is measured is kept, and Resume goes
        on from there.
      </p>
      <Button variant="default" size="xs" autoFocus disabled={stopping} onClick={stay}>
        Keep running
      </Button>
      <Button
        size="xs"
        loading={stopping}
        onClick={() => {
          setStopping(true);
          client.call('desktop.close').catch(noticeError);
        }}
      >
        Stop and close
      </Button>
    </div>
  );
}
