import { useWork } from '../use-work';
import { CompactButton } from './actions';
import { noticeMessage } from './notices';

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
