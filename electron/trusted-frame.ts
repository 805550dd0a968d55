import { isAppUrl } from './origin';

/** What is asked of the frame that sent a message; Electron's WebFrameMain has it all. */
export interface SenderFrame {
  readonly url: string;
  readonly parent: unknown;
}

/** Only the top frame of the app's own page may call; a frame that is gone (null) may not. */
export function isTrustedFrame(frame: SenderFrame | null): boolean {
  return frame !== null && frame.parent === null && isAppUrl(frame.url);
}
