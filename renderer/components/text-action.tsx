import { Button, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

/** A button of a row with its word: for an action that interrupts others. One that cannot be used stays in reach and gives the reason. */
export function TextAction(props: {
  icon: Icon;
  text: string;
  /** Begins with the text, and names the object. */
  label: string;
  /** Why it cannot be used now; null when it can. */
  why: string | null;
  busy: boolean;
  /** Takes the focus where it comes back in place of a question. */
  autoFocus?: boolean;
  onClick: () => void;
}) {
  const { icon: Glyph, text, label, why } = props;
  return (
    <Tooltip label={why ?? label} openDelay={300}>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={why === null ? label : `${label}: ${why}`}
        aria-disabled={why !== null}
        data-disabled={why !== null}
        loading={props.busy}
        autoFocus={props.autoFocus ?? false}
        leftSection={<Glyph size={13} aria-hidden="true" />}
        onClick={() => {
          if (why === null) props.onClick();
        }}
      >
        {text}
      </Button>
    </Tooltip>
  );
}
