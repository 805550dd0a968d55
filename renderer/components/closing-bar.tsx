import { Button, FocusTrap } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { closingText } from '../format/closing-text';
import { useWorkbench } from '../workbench';
import { SmallButton } from './actions';
import { noticeError } from './notices';

/** Asked when the window is to be closed while work is under way. Keeping it is the default: by focus, color and Escape. */
export function ClosingBar() {
  const { client, closing } = useWorkbench();
  const { work, stay } = useStore(closing);
  const [stopping, setStopping] = useState(false);
  if (work === null) return null;
  return (
    <div className="closing-backdrop">
      <FocusTrap>
        <div
          className="column closing-bar"
          role="alertdialog"
          aria-modal="true"
          aria-label="Close the window?"
          aria-describedby="closing-text"
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !stopping) stay();
          }}
        >
          <p id="closing-text">{closingText(work)}</p>
          <div className="buttons wrap">
            <Button
              size="xs"
              className="danger-button"
              loading={stopping}
              onClick={() => {
                setStopping(true);
                client.call('desktop.close').catch(noticeError);
              }}
            >
              Stop and close
            </Button>
            <SmallButton variant="filled" data-autofocus disabled={stopping} onClick={stay}>
              Keep running
            </SmallButton>
          </div>
        </div>
      </FocusTrap>
    </div>
  );
}
