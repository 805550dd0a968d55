import { copyFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { app, type BrowserWindow, clipboard, dialog, type FileFilter, shell } from 'electron';
import type { Handlers } from '../main/contract/api';
import { fromWire, WorkbenchError } from '../main/contract/errors';
import { mostSpecBytes } from '../main/contract/reader-limits';
import type { ReportFile } from '../main/contract/run/run-events';
import type { Core } from '../main/core';
import { makeFolder, writeFileAtomic } from '../main/platform/files';
import type { HomeLayout } from '../main/platform/layout';
import { fileError, readBoundedFile } from '../main/platform/plain-entry';
import publisher from '../publisher.json';
import { allowedLink } from './help/links';
import type { Openings } from './opening';
import { SavePlace } from './save-place';

const homepage: string | null = publisher.homepage;

type DesktopCall = Extract<keyof Handlers, `desktop.${string}`>;

const csv = { name: 'CSV', extensions: ['csv'] };
const filterOf: Readonly<Record<ReportFile['kind'] | 'csv', FileFilter>> = {
  pdf: { name: 'PDF', extensions: ['pdf'] },
  html: { name: 'HTML', extensions: ['html'] },
  json: { name: 'JSON', extensions: ['json'] },
  markdown: { name: 'Markdown', extensions: ['md'] },
  csv,
  'csv-offline': csv,
  'csv-online': csv,
  'csv-accuracy': csv,
  'csv-slices': csv,
  'csv-cold-start': csv,
  'csv-traces': csv,
};

/** What the person saved in this session: the page cannot name any other file to open. */
const savedPaths = new Set<string>();

let savePlace: SavePlace | null = null;

/** null: the person chose no place. */
async function placeToSave(
  window: BrowserWindow,
  name: string,
  filters: FileFilter[],
): Promise<string | null> {
  const place = (savePlace ??= new SavePlace(app.getPath('documents')));
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    // A file of the same name is not replaced without a question: on Linux that has to be asked for.
    properties: ['showOverwriteConfirmation'],
    defaultPath: place.pathOf(name),
    filters,
  });
  if (canceled || !filePath) return null;
  savedPaths.add(filePath);
  place.saved(filePath);
  return filePath;
}

export async function readText(path: string): Promise<string> {
  const found = await readBoundedFile(path, mostSpecBytes, { links: 'follow' });
  if ('text' in found) return found.text;
  throw new WorkbenchError('input-invalid', `The file cannot be read: ${found.problem}`, {
    where: path,
    remedy: `Choose a regular file of at most ${mostSpecBytes} bytes.`,
  });
}

function placeCalls(
  { core, layout }: Pick<Parameters<typeof desktopCalls>[0], 'core' | 'layout'>,
  open: (path: string) => Promise<void>,
): Pick<Handlers, 'desktop.showRunFolder' | 'desktop.openFolder' | 'desktop.openLink' | 'desktop.openSaved'> {
  return {
    'desktop.showRunFolder': async ({ runId }) => {
      await open((await core.handlers['runs.folder']({ runId })).dir);
      return null;
    },
    'desktop.openSaved': async ({ path, how }) => {
      if (!savedPaths.has(path)) {
        throw new WorkbenchError('input-invalid', 'This file was not saved from this window', {
          where: path,
          remedy: 'Open it with the file manager.',
        });
      }
      if (how === 'folder') shell.showItemInFolder(path);
      else await open(path);
      return null;
    },
    'desktop.openFolder': async ({ folder }) => {
      await makeFolder(layout[folder]);
      await open(layout[folder]);
      return null;
    },
    'desktop.openLink': async ({ address }) => {
      const link = allowedLink(address, homepage);
      if (link === null) await Promise.resolve(clipboard.writeText(address));
      else await shell.openExternal(link);
      return { opened: link !== null };
    },
  };
}

/** Not awaited: a person answers, or the window is gone. */
const windowCalls = ({
  closeNow,
  checkForUpdates,
}: Pick<Parameters<typeof desktopCalls>[0], 'closeNow' | 'checkForUpdates'>): Pick<
  Handlers,
  'desktop.checkForUpdates' | 'desktop.close'
> => ({
  'desktop.checkForUpdates': () => {
    void checkForUpdates();
    return Promise.resolve(null);
  },
  'desktop.close': () => {
    void closeNow();
    return Promise.resolve(null);
  },
});

const noStudyReport = (kind: string) =>
  new WorkbenchError('report-failed', `The study has no ${kind} report`);

/** Throws disk-full, file-unwritable. */
async function copied(source: string, path: string): Promise<void> {
  try {
    await copyFile(source, path);
  } catch (error) {
    throw fileError(error, path);
  }
}

const studyCalls = ({
  core,
  window,
}: Pick<Parameters<typeof desktopCalls>[0], 'core' | 'window'>): Pick<Handlers, 'desktop.saveStudy'> => ({
  'desktop.saveStudy': async ({ name, kind }) => {
    const { files, problem } = await core.handlers['studies.report']({ name });
    const source = files.find((file) => file.kind === kind)?.path;
    if (source === undefined) throw problem === null ? noStudyReport(kind) : fromWire(problem);
    const [extension = ''] = filterOf[kind].extensions;
    const path = await placeToSave(window(), `${name}.${extension}`, [filterOf[kind]]);
    if (path !== null) await copied(source, path);
    return path === null ? null : { path };
  },
});

/** The calls that need a desktop. Paths come from the core and from the person, never from the page. */
export function desktopCalls(options: {
  readonly core: {
    readonly handlers: Pick<
      Core['handlers'],
      | 'approvals.give'
      | 'comparisons.write'
      | 'monitor.fileStem'
      | 'monitor.write'
      | 'runs.folder'
      | 'runs.reportPath'
      | 'studies.report'
    >;
  };
  readonly window: () => BrowserWindow;
  readonly closeNow: () => Promise<void>;
  readonly checkForUpdates: () => Promise<void>;
  readonly openings: Pick<Openings, 'take'>;
  readonly layout: Pick<HomeLayout, 'home' | 'logs'>;
}): Pick<Handlers, DesktopCall> {
  const open = async (path: string): Promise<void> => {
    const refusal = await shell.openPath(path);
    if (refusal !== '')
      throw new WorkbenchError('internal', `The desktop could not open ${path}: ${refusal}`);
  };
  return {
    ...placeCalls(options, open),
    ...windowCalls(options),
    ...studyCalls(options),
    'desktop.saveReport': async ({ runId, kind }) => {
      const source = await options.core.handlers['runs.reportPath']({ runId, kind });
      const path = await placeToSave(options.window(), `${runId}-${basename(source)}`, [filterOf[kind]]);
      if (path === null) return null;
      await copied(source, path);
      return { path };
    },
    'desktop.openReport': async ({ runId, kind }) => {
      await open(await options.core.handlers['runs.reportPath']({ runId, kind }));
      return null;
    },
    'desktop.saveText': async ({ fileName, text }) => {
      const path = await placeToSave(options.window(), basename(fileName), []);
      if (path !== null) await writeFileAtomic(path, text);
      return path === null ? null : { path };
    },
    'desktop.saveMonitor': async ({ kind }) => {
      const stem = await options.core.handlers['monitor.fileStem'](undefined);
      const path = await placeToSave(options.window(), `${stem}.${kind}`, [filterOf[kind]]);
      if (path !== null) await options.core.handlers['monitor.write']({ path, kind });
      return path === null ? null : { path };
    },
    'desktop.saveComparison': async ({ kind, ...request }) => {
      const [extension = ''] = filterOf[kind].extensions;
      const stem = (request.title ?? 'comparison').replace(/[^\p{L}\p{N}._-]+/gu, '-');
      const path = await placeToSave(options.window(), `${stem}.${extension}`, [filterOf[kind]]);
      if (path !== null) await options.core.handlers['comparisons.write']({ request, kind, path });
      return path === null ? null : { path };
    },
    'desktop.openText': async () => {
      const answer = await dialog.showOpenDialog(options.window(), { properties: ['openFile'] });
      const [path] = answer.filePaths;
      if (answer.canceled || path === undefined) return null;
      const text = await readText(path);
      // A run.yaml that was chosen may name what lies beside it.
      await options.core.handlers['approvals.give']({ path: dirname(path) });
      return { fileName: basename(path), text };
    },
    'desktop.takeOpened': options.openings.take,
    'desktop.choosePath': async ({ kind, title }) => {
      const answer = await dialog.showOpenDialog(options.window(), {
        title,
        properties: [kind === 'file' ? 'openFile' : 'openDirectory'],
      });
      const [path] = answer.filePaths;
      if (answer.canceled || path === undefined) return null;
      await options.core.handlers['approvals.give']({ path });
      return { path };
    },
  };
}
