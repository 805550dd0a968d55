import { type BrowserWindow, dialog } from 'electron';
import type { AskForConsent } from './confirmed-calls';

const cancel = 0;
const agree = 1;

/** Asks over the window. Enter and Escape cancel: a dialog that comes while somebody types must not be agreed to. */
export function createConsentDialog(window: BrowserWindow): AskForConsent {
  return async (question) => {
    if (window.isDestroyed()) return false;
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      title: 'Triton Workbench',
      message: question.message,
      detail: question.detail,
      buttons: ['Cancel', question.agree],
      defaultId: cancel,
      cancelId: cancel,
      noLink: true,
    });
    return response === agree;
  };
}
