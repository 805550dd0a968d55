import { Button } from '@mantine/core';

/** Asks where the button stood; nothing else is blocked, Escape keeps everything as it is. */
export function ConfirmInPlace(props: {
  question: string;
  action: string;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  return (
    <span
      className="confirm"
      role="group"
      aria-label={props.question}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onCancel();
      }}
    >
      <span>{props.question}</span>
      <Button size="compact-xs" variant="default" autoFocus onClick={props.onCancel}>
        Keep
      </Button>
      <Button size="compact-xs" className="danger-button" onClick={props.onConfirm}>
        {props.action}
      </Button>
    </span>
  );
}
