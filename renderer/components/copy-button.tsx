import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { IconButton } from './actions';

/** A long text is given as a function and put together on the click. */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <IconButton
      icon={clipboard.copied ? IconCheck : IconCopy}
      label={clipboard.copied ? 'Copied' : label}
      name={label}
      onClick={() => {
        clipboard.copy(typeof text === 'string' ? text : text());
      }}
    />
  );
}
