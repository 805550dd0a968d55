import { shellLine } from '../../main/contract/flag-text';
import { CopyButton } from './copy-button';

/** A command exactly as it is run, to copy. */
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
