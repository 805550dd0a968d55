import { useWork } from '../use-work';
import { CompactButton } from './actions';
import { noticeMessage } from './notices';

interface ActionMessageProps {
  title: string;
  text: string;
  action: string;
  onAction: () => Promise<void>;
}

/** What has happened, and one button: the way back, or the way there. */
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

/** A notice with a button, for a while; what the button does takes it off. */
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
