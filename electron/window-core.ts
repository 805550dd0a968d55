import { join } from 'node:path';
import { type App, type BrowserWindow, dialog, Notification, safeStorage } from 'electron';
import type { CoreEvent, Handlers, WindowEvent } from '../main/contract/api';
import { defaultSettings, type Settings } from '../main/contract/settings/settings';
import type { Core } from '../main/core';
import type { ApplicationLog } from '../main/home/application-log';
import { homeLayout } from '../main/platform/layout';
import publisher from '../publisher.json';
import { answerCall } from './answer-call';
import { createConsentDialog } from './consent/ask-for-consent';
import { confirmedCalls } from './consent/confirmed-calls';
import { desktopCalls } from './desktop-calls';
import { createEventLog } from './help/application-events';
import { createUpdates, feedOf, type Updates } from './help/updates';
import type { AnswerCall } from './ipc';
import type { Openings } from './opening';
import type { AppPaths } from './paths';
import { printPdf } from './print/print-pdf';
import { readAhead } from './read-ahead';
import { createRegistryLogins } from './registry-logins';
import { createAlertWatch, createRunEndWatch } from './run-end-watch';
import { bringToFront } from './window';

export interface WindowCore {
  readonly core: Core;
  readonly updates: Updates;
}

interface WindowCoreOptions {
  readonly app: App;
  readonly window: BrowserWindow;
  readonly home: string;
  readonly paths: AppPaths;
  readonly log: ApplicationLog;
  readonly openings: Openings;
  readonly closeNow: () => Promise<void>;
  readonly send: (event: WindowEvent) => void;
  readonly scriptsServed: Promise<void>;
  readonly onMade: (made: Partial<WindowCore>) => void;
}

function noticeWatches(
  window: BrowserWindow,
  settings: () => Settings,
): readonly ((event: CoreEvent) => void)[] {
  const isFocused = () => window.isDestroyed() || window.isFocused();
  const notify = (notice: { readonly title: string; readonly body: string }) => {
    if (!Notification.isSupported()) return;
    const shown = new Notification(notice);
    shown.on('click', () => bringToFront(window));
    shown.show();
  };
  return [
    createRunEndWatch({ isFocused, notify, wanted: () => settings()['notifications.runs'] }),
    createAlertWatch({
      isFocused,
      notify,
      wanted: () => settings()['notifications.alerts'],
      nowMs: () => Date.now(),
    }),
  ];
}

async function followSettings(core: Core): Promise<() => Settings> {
  const state = await core.handlers['settings.get'](undefined).catch(() => null);
  let values = state?.values ?? defaultSettings;
  core.subscribe((event) => {
    if (event.type === 'settings-changed') ({ values } = event.state);
  });
  return () => values;
}

/** The core, loaded behind the page's scripts: the other way round each of the two waits for the other. */
async function openCore({ app, home, paths, scriptsServed }: WindowCoreOptions): Promise<Core> {
  await scriptsServed;
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

async function windowCalls(
  core: Core,
  updates: Updates,
  { window, home, closeNow, openings }: WindowCoreOptions,
): Promise<Handlers> {
  const list = readAhead(core);
  const logins = createRegistryLogins(join(home, 'window', 'registry-logins'), safeStorage);
  for (const login of await logins.read()) await core.handlers['docker.login'](login);
  return {
    ...core.handlers,
    ...confirmedCalls(core.handlers, createConsentDialog(window)),
    ...desktopCalls({
      core,
      window: () => window,
      layout: homeLayout(home),
      closeNow,
      openings,
      checkForUpdates: updates.byHand,
    }),
    'runs.list': list,
    'docker.login': async (login) => {
      await core.handlers['docker.login'](login);
      return { kept: await logins.keep(login) };
    },
  };
}

/** electron-updater is loaded only once a feed is set and asked. */
function windowUpdates(
  core: Core,
  { app, window, log, home }: WindowCoreOptions,
  feed: () => string | null,
): Updates {
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
    notify: async (notice) => {
      if (!window.isDestroyed())
        await dialog.showMessageBox(window, { type: 'info', title: 'Triton Workbench', ...notice });
    },
  });
}

/** Opens the core and answers the page's calls with it. A core that cannot be made is told by every call's answer. */
export function openWindowCore(options: WindowCoreOptions): AnswerCall {
  const { window, log, send, onMade } = options;
  const handlers = openCore(options).then(async (core) => {
    onMade({ core });
    core.subscribe(send);
    const settings = await followSettings(core);
    for (const watch of noticeWatches(window, settings)) core.subscribe(watch);
    core.subscribe(createEventLog(log));
    const updates = windowUpdates(core, options, () =>
      feedOf(settings()['updates.feed'], publisher.updateFeed),
    );
    onMade({ updates });
    void updates.atStart();
    return windowCalls(core, updates, options);
  });
  handlers.catch(() => undefined);
  return (name, input) => answerCall(handlers, name, input);
}
