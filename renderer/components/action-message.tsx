import { useWork } from '../use-work';
import type { Workbench } from '../workbench';
import { CompactButton } from './actions';
import { attempting, noticeMessage } from './notices';

interface ActionMessageProps {
  title: string;
  text: string;
  action: string;
  onAction: () => Promise<void>;
}

function ActionMessage({ title, text, action, onAction }: ActionMessageProps) {
  const [busy, working] = useWork();
  return (
    <span className="row undo">
      <span>
        <strong>{title}</strong>
        {text === '' ? null : <span className="dim"> {text}</span>}
      </span>
      <CompactButton loading={busy} onClick={working(onAction)}>
        {action}
      </CompactButton>
    </span>
  );
}

export function noticeAction(id: string, { onAction, ...props }: ActionMessageProps): void {
  noticeMessage(id, (close) => (
    <ActionMessage
      {...props}
      onAction={async () => {
        await onAction();
        close();
      }}
    />
  ));
}

/** A file that was saved where the person chose, with what one does with it next; nothing where none was chosen. */
export function noticeSaved(client: Workbench['client'], saved: { readonly path: string } | null): void {
  if (saved === null) return;
  const { path } = saved;
  const opening = (how: 'file' | 'folder') =>
    attempting(() => client.call('desktop.openSaved', { path, how }));
  noticeMessage(`saved-${path}`, () => (
    <span className="row wrap undo">
      <span>
        <strong>Saved</strong> <span className="dim breaking">{path}</span>
      </span>
      <span className="row">
        <CompactButton onClick={opening('file')}>Open</CompactButton>
        <CompactButton onClick={opening('folder')}>Show in folder</CompactButton>
      </span>
    </span>
  ));
}
