import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** A long text is given as a function and put together on the click. */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label} openDelay={300}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={() => {
          clipboard.copy(typeof text === 'string' ? text : text());
        }}
      >
        {clipboard.copied ? (
          <IconCheck size={15} aria-hidden="true" />
        ) : (
          <IconCopy size={15} aria-hidden="true" />
        )}
      </ActionIcon>
    </Tooltip>
  );
}
