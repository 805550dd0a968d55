import { BrowserWindow, nativeTheme, screen } from 'electron';
import { appUrl } from './origin';
import { safeWebPreferences } from './security';
import { boundsOnDisplays, type WindowState } from './window-state';

const size = { width: 1280, height: 800 } as const;
const minimum = { minWidth: 1024, minHeight: 700 } as const;
/** The page's own backgrounds, so that no other colour is seen before it is drawn. */
const background = { dark: '#16191d', light: '#f6f7f9' } as const;

export function createWindow(options: {
  readonly preload: string;
  readonly state: WindowState;
  /** Only of a package: the desktop has its own for a clone. */
  readonly icon: string | undefined;
}): BrowserWindow {
  const displays = screen.getAllDisplays().map((display) => display.workArea);
  const bounds = boundsOnDisplays(options.state.bounds, displays);
  const window = new BrowserWindow({
    ...size,
    ...minimum,
    ...(bounds ?? {}),
    show: false,
    title: 'Triton Workbench',
    ...(options.icon === undefined ? {} : { icon: options.icon }),
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    autoHideMenuBar: true,
    webPreferences: { ...safeWebPreferences, preload: options.preload },
  });
  if (options.state.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  void window.loadURL(appUrl);
  return window;
}

export function bringToFront(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.focus();
}
