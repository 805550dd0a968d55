/** The app's own scheme: pages have an origin that no file and no web page shares. */
export const appScheme = 'app';
const appHost = 'workbench';
export const appUrl = `${appScheme}://${appHost}/`;

/** True for pages of the app; compares parts, as a prefix also fits `app://workbench.evil/`. */
export function isAppUrl(text: string): boolean {
  try {
    const url = new URL(text);
    return (
      url.protocol === `${appScheme}:` && url.host === appHost && url.username === '' && url.password === ''
    );
  } catch {
    return false;
  }
}

interface SenderFrame {
  readonly url: string;
  readonly parent: unknown;
}

/** Only the top frame of the app's own page may call; a frame that is gone (null) may not. */
export function isTrustedFrame(frame: SenderFrame | null): boolean {
  return frame !== null && frame.parent === null && isAppUrl(frame.url);
}
