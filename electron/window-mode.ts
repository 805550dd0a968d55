import { dirname, join } from 'node:path';
import type { App, BrowserWindow } from 'electron';
import { dialog, Menu, Notification, safeStorage, session } from 'electron';
import type { CoreEvent, Handlers, MenuCommand, WindowEvent } from '../main/contract/api';
import { defaultSettings, type Settings } from '../main/contract/settings/settings';
import type { Core } from '../main/core';
import type { ApplicationLog } from '../main/home/application-log';
import { defaultHome, homeLayout } from '../main/platform/layout';
import { guardClose } from './close-guard';
import { createConsentDialog } from './consent/ask-for-consent';
import { desktopCalls, readText } from './desktop-calls';
import { createCallLog, createEventLog, openLog } from './help/application-events';
import { createUpdates, type Updates } from './help/updates';
import { createEventSender, registerCalls } from './ipc';
import { leave } from './leave';
import { contextMenuTemplate, menuTemplate } from './menu';
import { createOpenings, hearOpenings, openedBy, type Openings } from './opening';
import { recoverPage } from './page-recovery';
import { type AppPaths, appPaths } from './paths';
import { printPdf } from './print/print-pdf';
import { createRegistryLogins } from './registry-logins';
import { createAlertWatch, createRunEndWatch } from './run-end-watch';
import { serveApp } from './scheme';
import { denyNetwork, denyPermissions } from './security';
import { createWindow } from './window';
import { readWindowState, writeWindowState } from './window-state';

/** Writes where the window stands when it is asked to close. */
function stateKeeper(window: BrowserWindow, path: string): { readonly written: () => Promise<void> } {
  let writing = Promise.resolve();
  window.on('close', () => {
    const state = { bounds: window.getNormalBounds(), maximized: window.isMaximized() };
    // Where the window stood is a comfort; a disk that refuses it must not keep the window open.
    writing = writing.then(() => writeWindowState(path, state)).catch(() => undefined);
  });
  return { written: () => writing };
}

function bringToFront(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.focus();
}

/** Notifications of the desktop, for who does not look at the window. */
function noticeWatches(
  window: BrowserWindow,
  settings: () => Settings,
): readonly ((event: CoreEvent) => void)[] {
  const isLookedAt = () => window.isDestroyed() || window.isFocused();
  const tell = (notice: { readonly title: string; readonly body: string }) => {
    if (!Notification.isSupported()) return;
    const shown = new Notification(notice);
    shown.on('click', () => {
      bringToFront(window);
    });
    shown.show();
  };
  return [
    createRunEndWatch({ isLookedAt, tell, wanted: () => settings()['notifications.runs'] }),
    createAlertWatch({
      isLookedAt,
      tell,
      wanted: () => settings()['notifications.alerts'],
      nowMs: () => Date.now(),
    }),
  ];
}

/** The settings as they are at each moment, whoever changes them in this process. */
async function followSettings(core: Core): Promise<() => Settings> {
  const state = await core.handlers['settings.get'](undefined).catch(() => null);
  let values = state?.values ?? defaultSettings;
  core.subscribe((event) => {
    if (event.type === 'settings-changed') ({ values } = event.state);
  });
  return () => values;
}

/** The core, loaded behind the page's script: the other way round each of the two waits for the other. */
async function openCore(app: App, home: string, paths: AppPaths, scriptServed: Promise<void>): Promise<Core> {
  await scriptServed;
  const { createCore } = await import('../main/core');
  return createCore({
    home,
    resources: paths.resources,
    version: app.getVersion(),
    env: process.env,
    workerFile: paths.loadWorker,
    readerFile: paths.readerProcess,
    printPdf,
    electron: process.versions.electron,
    follow: true,
  });
}

function installMenus(
  window: BrowserWindow,
  send: (event: WindowEvent) => void,
  checkForUpdates: () => void,
): void {
  const onCommand = (command: MenuCommand): void => {
    send({ type: 'menu', command });
  };
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(onCommand, checkForUpdates)));
  window.webContents.on('context-menu', (_event, place) => {
    const template = contextMenuTemplate(place);
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window });
  });
}

/** The core's calls as the page may make them: with consent, the desktop's own, and logins that are kept. */
async function windowCalls(
  core: Core,
  window: BrowserWindow,
  {
    home,
    ...desktop
  }: { readonly home: string; readonly closeNow: () => Promise<void>; readonly openings: Openings },
): Promise<Handlers> {
  // Read with the core, not before the page is shown.
  const { confirmedCalls } = await import('./consent/confirmed-calls');
  const logins = createRegistryLogins(join(home, 'window', 'registry-logins'), safeStorage);
  for (const login of await logins.read()) await core.handlers['docker.login'](login);
  return {
    ...core.handlers,
    ...confirmedCalls(core, createConsentDialog(window)),
    ...desktopCalls({ core, window: () => window, layout: homeLayout(home), ...desktop }),
    'docker.login': async (login) => {
      await core.handlers['docker.login'](login);
      return { kept: await logins.keep(login) };
    },
  };
}

/** Updates with the dialogs of this window; electron-updater is loaded when a feed is set and asked. */
function windowUpdates(parts: {
  readonly app: App;
  readonly window: BrowserWindow;
  readonly core: Core;
  readonly log: ApplicationLog;
  readonly home: string;
  readonly feed: () => string | null;
}): Updates {
  const { app, window, core, log, home, feed } = parts;
  const consent = createConsentDialog(window);
  return createUpdates({
    feed,
    log,
    version: app.getVersion(),
    isFixed: !app.isPackaged || [app.getName(), app.getVersion()].some((text) => text.includes('-test')),
    openUpdater: async (address) => {
      const { openUpdater } = await import('./help/open-updater');
      return openUpdater(address, join(home, 'window', 'updates'), log);
    },
    isBusy: () => Object.values(core.underWay()).some((works: readonly unknown[]) => works.length > 0),
    ask: consent,
    tell: async (notice) => {
      if (!window.isDestroyed())
        await dialog.showMessageBox(window, { type: 'info', title: 'Triton Workbench', ...notice });
    },
  });
}

/** Ends the process once: with its last window, or where quitting closes the windows and leaves at once. */
function endWithWindows(app: App, close: () => Promise<unknown>): void {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    void close().then(() => leave(app, 0));
  };
  app.on('window-all-closed', end);
  app.on('will-quit', (event) => {
    event.preventDefault();
    end();
  });
}

/** The desktop window over a core of its own; one at a time for a workbench home. */
export async function runWindowMode(app: App): Promise<void> {
  const home = defaultHome(process.env);
  const paths = appPaths(app.getAppPath());
  app.setPath('userData', join(home, 'window'));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  const made: { core: Core | null } = { core: null };
  const stop = async (): Promise<void> => {
    await made.core?.close();
  };
  const log = await openLog(app, home);
  const statePath = join(home, 'window', 'window-state.json');
  const [, state] = await Promise.all([app.whenReady(), readWindowState(statePath)]);
  denyPermissions(session.defaultSession);
  denyNetwork(session.defaultSession);
  const { scriptServed } = await serveApp(session.defaultSession, paths.renderer);

  const window = createWindow({
    preload: paths.preload,
    state,
    icon: app.isPackaged ? join(dirname(process.execPath), 'icons', '256x256.png') : undefined,
  });
  const coreReady = openCore(app, home, paths, scriptServed);
  const keeper = stateKeeper(window, statePath);
  const events = createEventSender(window.webContents);
  const updates: { made: Updates | null } = { made: null };
  installMenus(window, events.send, () => void updates.made?.byHand());
  const openings = createOpenings({
    read: async (path) => {
      const text = await readText(path);
      made.core?.approvals.give(dirname(path));
      return text;
    },
    onAsked: () => {
      events.send({ type: 'opened' });
    },
  });
  openings.add(openedBy(process.argv, process.cwd(), app.getAppPath()));
  const { closeNow } = guardClose(window, {
    underWay: () => made.core?.underWay() ?? { runIds: [], images: [], fetches: [], tools: [] },
    ask: (work) => {
      events.send({ type: 'close-asked', work });
    },
    stop,
  });
  recoverPage(window, {
    nowMs: () => performance.now(),
    ask: async (question) => (await dialog.showMessageBox(window, question)).response,
    close: closeNow,
  });
  const handlers = coreReady.then(async (core) => {
    made.core = core;
    core.subscribe(events.send);
    const settings = await followSettings(core);
    for (const watch of noticeWatches(window, settings)) core.subscribe(watch);
    core.subscribe(createEventLog(log));
    updates.made = windowUpdates({ app, window, core, log, home, feed: () => settings()['updates.feed'] });
    void updates.made.atStart();
    return windowCalls(core, window, { home, closeNow, openings });
  });
  // A core that cannot be made is told by every call's answer.
  handlers.catch(() => undefined);
  registerCalls(
    handlers,
    (path) => {
      // Before there is a core nothing can be dropped on its forms.
      made.core?.approvals.give(path);
    },
    createCallLog(log),
  );

  hearOpenings(app, window, openings, () => {
    bringToFront(window);
  });
  endWithWindows(app, () => {
    events.dispose();
    return Promise.allSettled([stop(), keeper.written()]);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void closeNow());
}
