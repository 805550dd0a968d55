import { ActionIcon, Button, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

/** A small button that its icon says; `name` is more exact than the label where several stand together. */
export function IconButton({
  icon: Glyph,
  label,
  name = label,
  size = 15,
  ...rest
}: Pick<ComponentProps<'button'>, 'onClick' | 'aria-expanded'> & {
  icon: Icon;
  label: string;
  name?: string;
  size?: number;
}) {
  return (
    <Tooltip label={label} openDelay={300}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={name} {...rest}>
        <Glyph size={size} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
}

/** A button of a row. One that cannot be used stays in reach and says why. */
export function IconAction(props: {
  icon: Icon;
  label: string;
  /** Why it cannot be used now; null when it can. */
  why?: string | null;
  busy?: boolean;
  /** Takes the focus where it comes back in place of a question. */
  autoFocus?: boolean;
  onClick: () => void;
}) {
  const { icon: ActionGlyph, label, why = null, busy = false } = props;
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

/** A switch as a small button: pressed is on. */
export function IconToggle(props: {
  icon: Icon;
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  const { icon: Glyph, label, on } = props;
  return (
    <Tooltip label={`${label}: ${on ? 'on' : 'off'}`} openDelay={300}>
      <ActionIcon
        variant={on ? 'light' : 'subtle'}
        color={on ? 'workbench' : 'gray'}
        size="md"
        aria-label={label}
        aria-pressed={on}
        onClick={() => {
          props.onChange(!on);
        }}
      >
        <Glyph size={16} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
}

/** A button of a row with its word: for an action that interrupts others. One that cannot be used stays in reach and gives the reason. */
export function TextAction(props: {
  icon: Icon;
  text: string;
  /** Begins with the text, and names the object. */
  label: string;
  /** Why it cannot be used now; null when it can. */
  why?: string | null;
  busy?: boolean;
  /** Takes the focus where it comes back in place of a question. */
  autoFocus?: boolean;
  onClick: () => void;
}) {
  const { icon: Glyph, text, label, why = null } = props;
  return (
    <Tooltip label={why ?? label} openDelay={300}>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={why === null ? label : `${label}: ${why}`}
        aria-disabled={why !== null}
        data-disabled={why !== null}
        loading={props.busy ?? false}
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
