import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label} openDelay={300}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        onClick={() => {
          clipboard.copy(text);
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
