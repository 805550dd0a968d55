import { Button } from '@mantine/core';
import { useState } from 'react';
import { attempt } from './notices';

/** What was done, and the way back. */
export function UndoMessage(props: { title: string; text: string; onUndo: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  return (
    <span className="undo">
      <span>
        <strong>{props.title}</strong>
        {props.text === '' ? null : <span className="dim"> {props.text}</span>}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        loading={busy}
        onClick={() => {
          setBusy(true);
          attempt(() =>
            props.onUndo().finally(() => {
              setBusy(false);
            }),
          );
        }}
      >
        Undo
      </Button>
    </span>
  );
}
