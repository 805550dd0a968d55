import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';

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

/** Asks before it does what `children` leads to; `asked`: the question was there, and the focus comes back from it. */
export function AskFirst(props: {
  question: string;
  action: string;
  onConfirm: () => void;
  children: (ask: () => void, asked: boolean) => ReactNode;
}) {
  const { question, action, onConfirm, children } = props;
  const [asking, setAsking] = useState<boolean | null>(null);
  if (asking !== true) {
    return children(() => {
      setAsking(true);
    }, asking !== null);
  }
  return (
    <ConfirmInPlace
      question={question}
      action={action}
      onConfirm={() => {
        setAsking(false);
        onConfirm();
      }}
      onCancel={() => {
        setAsking(false);
      }}
    />
  );
}
