import { remedyCommand } from '../format/remedy-command';
import { CopyButton } from './copy-button';

/** What to do, to copy: the command in it where there is one. */
export function Remedy({ text }: { text: string }) {
  const command = remedyCommand(text);
  return (
    <div className="command">
      <span className="remedy">{text}</span>
      <CopyButton text={command ?? text} label={command === null ? 'Copy remedy' : 'Copy command'} />
    </div>
  );
}
