import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { beyondTitle, errorText } from '../../main/contract/error-text';
import { toWire } from '../../main/contract/errors';
import { remedyOf } from '../../main/contract/remedy';
import { asSentence } from '../format/words';

const closeButtonProps = { 'aria-label': 'Close' } as const;

const shownErrors = new Map<string, number>();
/** An error that opened another page, or came with it, is about that page. */
const sameMomentMs = 1000;

export function leaveErrors(now = Date.now()): void {
  for (const [id, at] of [...shownErrors]) {
    if (now - at < sameMomentMs) continue;
    shownErrors.delete(id);
    notifications.hide(id);
  }
}

/** Stays until it is closed or its page is left. */
export function noticeError(error: unknown): void {
  const wire = toWire(error);
  const text = errorText[wire.code];
  // Once per error: other notices need the room.
  const id = `error-${wire.code}-${wire.message}`;
  shownErrors.set(id, Date.now());
  notifications.show({
    id,
    color: 'red',
    title: text.title,
    message: `${asSentence(beyondTitle(wire))} ${remedyOf(wire)}`.trim(),
    autoClose: false,
    withBorder: true,
    closeButtonProps,
  });
}

export function noticeDone(title: string, message: string): void {
  notifications.show({
    color: 'workbench',
    title,
    message,
    autoClose: 6000,
    withBorder: true,
    closeButtonProps,
  });
}

export function noticeMessage(id: string, message: (close: () => void) => ReactNode): void {
  notifications.show({
    id,
    color: 'workbench',
    message: message(() => notifications.hide(id)),
    autoClose: 15_000,
    // It times out, unlike notices that wait to be read.
    priority: 1,
    withBorder: true,
    closeButtonProps,
  });
}

export function attempt(action: () => Promise<unknown>): void {
  action().catch(noticeError);
}

/** The same as a handler: `onClick={attempting(() => load())}`. */
export const attempting = (action: () => Promise<unknown>) => (): void => attempt(action);
