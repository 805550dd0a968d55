import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { errorText } from '../../main/contract/error-text';
import { toWire } from '../../main/contract/errors';
import { remedyOf } from '../../main/contract/remedy';
import { asSentence } from '../format/words';

const closeButtonProps = { 'aria-label': 'Close' } as const;

/** Ids of the errors that are shown, with the time of each. */
const shownErrors = new Map<string, number>();
/** An error that opened another page, or came with it, is about that page. */
const sameMomentMs = 1000;

/** Takes the errors of the page that is left off the screen. */
export function leaveErrors(now = Date.now()): void {
  for (const [id, at] of [...shownErrors]) {
    if (now - at < sameMomentMs) continue;
    shownErrors.delete(id);
    notifications.hide(id);
  }
}

/** An action that was refused: stays until it is read or its page is left. */
export function noticeError(error: unknown): void {
  const wire = toWire(error);
  const text = errorText[wire.code];
  // The same trouble once, however often it is met: other notices need the room.
  const id = `error-${wire.code}-${wire.message}`;
  shownErrors.set(id, Date.now());
  notifications.show({
    id,
    color: 'red',
    title: text.title,
    message: `${asSentence(wire.message)} ${remedyOf(wire)}`,
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

/** A notice for a while; `message` gets the way to take it off. */
export function noticeMessage(id: string, message: (close: () => void) => ReactNode): void {
  notifications.show({
    id,
    color: 'workbench',
    message: message(() => {
      notifications.hide(id);
    }),
    autoClose: 15_000,
    // Its time runs out; what waits to be read does not.
    priority: 1,
    withBorder: true,
    closeButtonProps,
  });
}

/** Runs an action of a button; what it throws is told. */
export function attempt(action: () => Promise<unknown>): void {
  action().catch(noticeError);
}

/** The same as a handler: `onClick={attempting(() => load())}`. */
export const attempting = (action: () => Promise<unknown>) => (): void => attempt(action);
