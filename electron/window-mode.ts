import { dirname, join } from 'node:path';
import { type App, type BrowserWindow, dialog, Menu, session } from 'electron';
import type { MenuCommand, WindowEvent } from '../main/contract/api';
import { defaultHome } from '../main/platform/layout';
import { guardClose } from './close-guard';
import { readText } from './desktop-calls';
import { createCallLog, openLog } from './help/application-events';
import { createEventSender, registerCalls } from './ipc';
import { leave } from './leave';
import { contextMenuTemplate, menuTemplate } from './menu';
import { createOpenings, openedBy, subscribeToOpenings } from './opening';
import { recoverPage } from './page-recovery';
import { appPaths } from './paths';
import { serveApp } from './scheme';
import { denyNetwork, denyPermissions } from './security';
import { bringToFront, createWindow } from './window';
import type { WindowCore } from './window-core';
import { readWindowState, writeWindowState } from './window-state';

function stateKeeper(window: BrowserWindow, path: string): { readonly written: () => Promise<void> } {
  let writing = Promise.resolve();
  window.on('close', () => {
    const state = { bounds: window.getNormalBounds(), maximized: window.isMaximized() };
    // Where the window stood is a comfort; a disk that refuses it must not keep the window open.
    writing = writing.then(() => writeWindowState(path, state)).catch(() => undefined);
  });
  return { written: () => writing };
}

function installMenus(
  window: BrowserWindow,
  send: (event: WindowEvent) => void,
  checkForUpdates: () => void,
): void {
  const onCommand = (command: MenuCommand): void => send({ type: 'menu', command });
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(onCommand, checkForUpdates)));
  window.webContents.on('context-menu', (_event, place) => {
    const template = contextMenuTemplate(place);
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window });
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

const nothingUnderWay = { runIds: [], images: [], fetches: [], tools: [], deployments: [], studies: [] };

/**
 * The desktop window over a core of its own; one at a time for a workbench home. What it imports is read before there is a
 * window: no schema and nothing of the core, which `window-core.ts` brings while the page loads.
 */
export async function runWindowMode(app: App): Promise<void> {
  const home = defaultHome(process.env);
  const paths = appPaths(app.getAppPath());
  app.setPath('userData', join(home, 'window'));
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  const made: Partial<WindowCore> = {};
  const stop = async (): Promise<void> => {
    await made.core?.close();
  };
  const log = await openLog(app, home);
  const statePath = join(home, 'window', 'window-state.json');
  const [, state] = await Promise.all([app.whenReady(), readWindowState(statePath)]);
  denyPermissions(session.defaultSession);
  denyNetwork(session.defaultSession);
  const served = await serveApp(session.defaultSession, paths.renderer);

  const window = createWindow({
    preload: paths.preload,
    state,
    icon: app.isPackaged ? join(dirname(process.execPath), 'icons', '256x256.png') : undefined,
  });
  const keeper = stateKeeper(window, statePath);
  const events = createEventSender(window.webContents);
  installMenus(window, events.send, () => void made.updates?.byHand());
  const openings = createOpenings({
    read: async (path) => {
      const text = await readText(path);
      await made.core?.handlers['approvals.give']({ path: dirname(path) });
      return text;
    },
    onAsked: () => events.send({ type: 'opened' }),
  });
  openings.add(openedBy(process.argv, process.cwd(), app.getAppPath()));
  const { closeNow } = guardClose(window, {
    underWay: () => made.core?.underWay() ?? nothingUnderWay,
    ask: (work) => events.send({ type: 'close-asked', work }),
    stop,
  });
  recoverPage(window, {
    nowMs: () => performance.now(),
    ask: async (question) => (await dialog.showMessageBox(window, question)).response,
    close: closeNow,
  });
  const answers = served.document
    .then(() => import('./window-core'))
    .then(({ openWindowCore }) =>
      openWindowCore({
        app,
        window,
        home,
        paths,
        log,
        openings,
        closeNow,
        send: events.send,
        scriptsServed: served.scripts,
        onMade: (parts) => Object.assign(made, parts),
      }),
    );
  registerCalls({
    answers,
    events,
    onGiven: (path) => {
      // Before there is a core nothing can be dropped on its forms.
      void made.core?.handlers['approvals.give']({ path });
    },
    onAnswer: createCallLog(log),
  });

  subscribeToOpenings(app, window, openings, () => bringToFront(window));
  endWithWindows(app, () => {
    events.dispose();
    return Promise.allSettled([stop(), keeper.written()]);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void closeNow());
}
