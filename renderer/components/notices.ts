import { notifications } from '@mantine/notifications';
import { errorText } from '../../main/contract/error-text';
import { toWire } from '../../main/contract/errors';

/** An action that was refused: stays until it is read. */
export function noticeError(error: unknown): void {
  const wire = toWire(error);
  const text = errorText[wire.code];
  notifications.show({
    color: 'red',
    title: text.title,
    message: `${wire.message} ${wire.remedy ?? text.remedy}`,
    autoClose: false,
    withBorder: true,
  });
}

export function noticeDone(title: string, message: string): void {
  notifications.show({ color: 'workbench', title, message, autoClose: 6000, withBorder: true });
}

/** Runs an action of a button; what it throws is told. */
export function attempt(action: () => Promise<void>): void {
  action().catch(noticeError);
}
