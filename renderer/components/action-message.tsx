import { Button } from '@mantine/core';
import { useState } from 'react';
import { attempt } from './notices';

/** What has happened, and one button: the way back, or the way there. */
export function ActionMessage(props: {
  title: string;
  text: string;
  action: string;
  onAction: () => Promise<void>;
}) {
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
            props.onAction().finally(() => {
              setBusy(false);
            }),
          );
        }}
      >
        {props.action}
      </Button>
    </span>
  );
}
