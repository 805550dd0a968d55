import {
  ActionIcon,
  type ActionIconProps,
  Button,
  type ButtonProps,
  Menu,
  type MenuItemProps,
  type MenuProps,
  Tooltip,
} from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';

type WithIcon<Props> = Props & Omit<ComponentProps<'button'>, keyof Props> & { icon?: Icon };

export function SmallButton({ icon: Glyph, ...rest }: WithIcon<ButtonProps>) {
  const section = Glyph === undefined ? null : <Glyph size={14} aria-hidden="true" />;
  return <Button size="xs" variant="default" leftSection={section} {...rest} />;
}

export function CompactButton({ icon: Glyph, ...rest }: WithIcon<ButtonProps>) {
  const section = Glyph === undefined ? null : <Glyph size={13} aria-hidden="true" />;
  return <Button size="compact-xs" variant="default" leftSection={section} {...rest} />;
}

/** `label` is its accessible name; `size` is that of the icon, `box` that of the button. */
export function BareIcon({
  icon: Glyph,
  label,
  size = 15,
  box = 'sm',
  ...rest
}: Omit<WithIcon<ActionIconProps>, 'icon' | 'size'> & {
  icon: Icon;
  label: string;
  size?: number;
  box?: 'sm' | 'md';
}) {
  return (
    <ActionIcon variant="subtle" color="gray" size={box} aria-label={label} {...rest}>
      <Glyph size={size} aria-hidden="true" />
    </ActionIcon>
  );
}

/** With its label as tooltip; `name` is a more exact accessible name where several are listed. */
export function IconButton({
  label,
  name = label,
  ...rest
}: ComponentProps<typeof BareIcon> & { name?: string }) {
  return (
    <Tooltip label={label} openDelay={300}>
      <BareIcon label={name} {...rest} />
    </Tooltip>
  );
}

interface RowAction {
  icon: Icon;
  label: string;
  /** Why it is disabled; null: it is not. */
  why?: string | null;
  busy?: boolean;
  onClick: () => void;
}

/** A disabled button stays focusable and says why. */
const refusable = ({ label, why = null, busy = false, onClick }: RowAction) => ({
  'aria-label': why === null ? label : `${label}: ${why}`,
  'aria-disabled': why !== null,
  'data-disabled': why !== null,
  loading: busy,
  onClick: () => {
    if (why === null) onClick();
  },
});

export function IconAction(props: RowAction) {
  const { icon, label, why } = props;
  return (
    <Tooltip label={why ?? label} openDelay={300}>
      <BareIcon icon={icon} size={16} label={label} {...refusable(props)} />
    </Tooltip>
  );
}

export function TextAction({ text, ...props }: RowAction & { text: string }) {
  const { icon, label, why } = props;
  return (
    <Tooltip label={why ?? label} openDelay={300}>
      <CompactButton icon={icon} {...refusable(props)}>
        {text}
      </CompactButton>
    </Tooltip>
  );
}

export function IconToggle(props: {
  icon: Icon;
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  const { icon, label, on } = props;
  return (
    <Tooltip label={`${label}: ${on ? 'on' : 'off'}`} openDelay={300}>
      <BareIcon
        icon={icon}
        label={label}
        size={16}
        variant={on ? 'light' : 'subtle'}
        color={on ? 'workbench' : 'gray'}
        box="md"
        aria-pressed={on}
        onClick={() => props.onChange(!on)}
      />
    </Tooltip>
  );
}

export function ActionMenu({ button, children, ...rest }: MenuProps & { button: ReactNode }) {
  return (
    // A placeholder for the first focus is a child that a menu may not have.
    <Menu position="bottom-end" shadow="md" withInitialFocusPlaceholder={false} {...rest}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

export function MenuAction({ icon: Glyph, ...rest }: WithIcon<MenuItemProps>) {
  const section = Glyph === undefined ? null : <Glyph size={14} aria-hidden="true" />;
  return <Menu.Item leftSection={section} {...rest} />;
}
