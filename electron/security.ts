import type { App, Session, WebContents } from 'electron';
import { appScheme } from './origin';

export const safeWebPreferences = {
  contextIsolation: true,
  sandbox: true,
  webSecurity: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
} as const;

function hold(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

export function denyNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => hold(contents));
}

/** Copying a command puts text into the clipboard after a click; reading it back is another permission. */
const granted = new Set<string>(['clipboard-sanitized-write']);

export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(granted.has(permission)));
  session.setPermissionCheckHandler((_contents, permission) => granted.has(permission));
  session.setDevicePermissionHandler(() => false);
}

const innerProtocols = new Set([`${appScheme}:`, 'blob:', 'data:', 'devtools:']);

/** The window reaches nothing outside the app, even where a policy header were missing. */
export function denyNetwork(session: Session): void {
  session.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: !innerProtocols.has(new URL(details.url).protocol) }),
  );
  session.on('will-download', (event, item) => {
    // Charts are saved as images from blobs that the page made itself.
    if (!item.getURL().startsWith('blob:') && !item.getURL().startsWith('data:')) event.preventDefault();
  });
}
