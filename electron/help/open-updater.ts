import { join } from 'node:path';
import * as packages from 'electron-updater';
import type { ApplicationLog } from '../../main/home/application-log';
import { makeFolder, writeFileAtomic } from '../../main/platform/files';
import type { Updater } from './updates';

/** The deb is not made by electron-builder, so nothing in it says which kind of package it is. */
function createUpdater(): packages.AppUpdater {
  if (process.platform === 'win32') return new packages.NsisUpdater();
  if (process.platform === 'darwin') return new packages.MacUpdater();
  return (process.env['APPIMAGE'] ?? '') === '' ? new packages.DebUpdater() : new packages.AppImageUpdater();
}

/**
 * electron-updater on a generic feed, told to do nothing by itself. Loaded when a feed is set, not at the start.
 * @param folder gets the configuration that electron-updater reads beside the app otherwise
 */
export async function openUpdater(
  feed: string,
  folder: string,
  log: Pick<ApplicationLog, 'add'>,
): Promise<Updater> {
  await makeFolder(folder);
  const config = join(folder, 'app-update.yml');
  const content = { provider: 'generic', url: feed, updaterCacheDirName: 'triton-workbench-updater' };
  await writeFileAtomic(config, `${JSON.stringify(content)}\n`);
  const updater = createUpdater();
  updater.updateConfigPath = config;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.autoRunAppAfterInstall = false;
  updater.logger = {
    info: () => undefined,
    warn: (text: unknown) => log.add('warning', `Update: ${String(text)}`),
    error: () => undefined,
  };
  // An installation reports what failed by an event only; the promises of the other steps are rejected as well.
  const failures: Error[] = [];
  updater.on('error', (error) => void failures.push(error));
  return {
    check: async () => {
      const found = await updater.checkForUpdates();
      if (found === null) throw new Error('This kind of package cannot be updated from a feed');
      return found.isUpdateAvailable ? found.updateInfo.version : null;
    },
    download: async () => {
      await updater.downloadUpdate();
    },
    install: () => {
      failures.length = 0;
      updater.quitAndInstall(false, false);
      const [failure] = failures;
      if (failure !== undefined) throw failure;
    },
  };
}
