/** The app's own scheme: pages have an origin that no file and no web page shares. */
export const appScheme = 'app';
export const appHost = 'workbench';
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
