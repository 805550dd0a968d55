import { Button } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { closingText } from '../format/closing-text';
import { useWorkbench } from '../workbench';
import { noticeError } from './notices';

/** Asked when the window is to be closed while work is under way. */
export function ClosingBar() {
  const { client, closing } = useWorkbench();
  const { work, stay } = useStore(closing);
  const [stopping, setStopping] = useState(false);
  if (work === null) return null;
  return (
    <div
      className="closing-bar"
      role="alertdialog"
      aria-label="Close the window?"
      aria-describedby="closing-text"
    >
      <p id="closing-text">{closingText(work)}</p>
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
