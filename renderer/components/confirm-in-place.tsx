import { Button } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { CompactButton } from './actions';

const nameOf = (element: Element | null): string =>
  element?.getAttribute('aria-label') ?? element?.textContent ?? '';

function useFocusBack(place: RefObject<HTMLElement | null>): void {
  const [opener] = useState(() => nameOf(document.activeElement));
  useEffect(() => {
    const around = place.current?.parentElement;
    return () => {
      if (around?.isConnected !== true || document.activeElement !== document.body) return;
      const buttons = [...around.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
      // A disabled one has its reason behind the name.
      (buttons.find((button) => nameOf(button).startsWith(opener)) ?? buttons[0])?.focus();
    };
  }, [place, opener]);
}

/** Asks in place of the button; nothing else is blocked, and Escape keeps everything as it is. */
export function ConfirmInPlace(props: {
  question: string;
  action: string;
  /** Default: Keep. */
  cancel?: string;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const place = useRef<HTMLSpanElement>(null);
  useFocusBack(place);
  return (
    <span
      ref={place}
      className="confirm"
      role="group"
      aria-label={props.question}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onCancel();
      }}
    >
      <span>{props.question}</span>
      <CompactButton autoFocus onClick={props.onCancel}>
        {props.cancel ?? 'Keep'}
      </CompactButton>
      <Button size="compact-xs" className="danger-button" onClick={props.onConfirm}>
        {props.action}
      </Button>
    </span>
  );
}

export function AskFirst(props: {
  question: string;
  action: string;
  onConfirm: () => void;
  children: (ask: () => void) => ReactNode;
}) {
  const { question, action, onConfirm, children } = props;
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return children(() => setAsking(true));
  }
  return (
    <ConfirmInPlace
      question={question}
      action={action}
      onConfirm={() => {
        setAsking(false);
        onConfirm();
      }}
      onCancel={() => setAsking(false)}
    />
  );
}
