import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

/** A button of a row. One that cannot be used stays in reach and says why. */
export function IconAction(props: {
  icon: Icon;
  label: string;
  /** Why it cannot be used now; null when it can. */
  why: string | null;
  busy: boolean;
  /** Takes the focus where it comes back in place of a question. */
  autoFocus?: boolean;
  onClick: () => void;
}) {
  const { icon: ActionGlyph, label, why, busy } = props;
  return (
    <Tooltip label={why ?? label} openDelay={300}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={why === null ? label : `${label}: ${why}`}
        aria-disabled={why !== null}
        data-disabled={why !== null}
        loading={busy}
        autoFocus={props.autoFocus ?? false}
        onClick={() => {
          if (why === null) props.onClick();
        }}
      >
        <ActionGlyph size={16} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
}
