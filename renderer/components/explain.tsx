import { ActionIcon, Tooltip } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';

export function Explain({ what, text }: { what: string; text: string }) {
  return (
    <Tooltip label={text} multiline w={300} events={{ hover: true, focus: true, touch: true }}>
      <ActionIcon variant="transparent" color="gray" size="sm" aria-label={`About ${what}: ${text}`}>
        <IconInfoCircle size={15} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  );
}
