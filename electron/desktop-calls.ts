import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { app, dialog, shell } from 'electron';
import type { Handlers } from '../main/contract/api';
import { WorkbenchError } from '../main/contract/errors';
import type { ReportFile } from '../main/contract/run-events';
import type { Core } from '../main/core';
import { fileError } from '../main/platform/files';

type DesktopCall = Extract<keyof Handlers, `desktop.${string}`>;

const filters: Readonly<
  Record<ReportFile['kind'], { readonly name: string; readonly extensions: string[] }>
> = {
  pdf: { name: 'PDF', extensions: ['pdf'] },
  html: { name: 'HTML', extensions: ['html'] },
  json: { name: 'JSON', extensions: ['json'] },
  'csv-offline': { name: 'CSV', extensions: ['csv'] },
  'csv-online': { name: 'CSV', extensions: ['csv'] },
  'csv-accuracy': { name: 'CSV', extensions: ['csv'] },
};

/** The calls that need a desktop. Paths come from the core and from the person, never from the page. */
export function desktopCalls(options: {
  readonly core: Pick<Core, 'reportPath' | 'runDir'>;
  readonly window: () => BrowserWindow;
  readonly closeNow: () => Promise<void>;
}): Pick<Handlers, DesktopCall> {
  const open = async (path: string): Promise<void> => {
    const refusal = await shell.openPath(path);
    if (refusal !== '')
      throw new WorkbenchError('internal', `The desktop could not open ${path}: ${refusal}`);
  };
  return {
    'desktop.saveReport': async ({ runId, kind }) => {
      const source = await options.core.reportPath(runId, kind);
      const answer = await dialog.showSaveDialog(options.window(), {
        defaultPath: join(app.getPath('documents'), `${runId}-${basename(source)}`),
        filters: [filters[kind]],
      });
      if (answer.canceled || !answer.filePath) return null;
      try {
        await copyFile(source, answer.filePath);
      } catch (error) {
        throw fileError(error, answer.filePath);
      }
      return { path: answer.filePath };
    },
    'desktop.openReport': async ({ runId, kind }) => {
      await open(await options.core.reportPath(runId, kind));
      return null;
    },
    'desktop.showRunFolder': async ({ runId }) => {
      await open(await options.core.runDir(runId));
      return null;
    },
    'desktop.close': () => {
      // Not awaited: the answer could not reach a window that has closed.
      void options.closeNow();
      return Promise.resolve(null);
    },
  };
}
