import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { shellLine } from '../../main/contract/flag-text';
import { remedyCommand } from '../format/remedy-command';
import { IconButton } from './actions';

export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <IconButton
      icon={clipboard.copied ? IconCheck : IconCopy}
      label={clipboard.copied ? 'Copied' : label}
      name={label}
      onClick={() => clipboard.copy(typeof text === 'string' ? text : text())}
    />
  );
}

export function CommandText({ argv, note }: { argv: readonly string[]; note?: string | undefined }) {
  const text = shellLine(argv);
  return (
    <div>
      {note === undefined ? null : <div className="dim">{note}</div>}
      <div className="command">
        <code>{text}</code>
        <CopyButton text={text} label="Copy command" />
      </div>
    </div>
  );
}

export function Remedy({ text }: { text: string }) {
  const command = remedyCommand(text);
  return (
    <div className="command">
      <span className="remedy">{text}</span>
      <CopyButton text={command ?? text} label={command === null ? 'Copy remedy' : 'Copy command'} />
    </div>
  );
}
