import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

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
