import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { ReportFile } from '../contract/run/run-events';
import type { RunFolder } from './run-folder';

/** A kind opens as what its name says: a desktop chooses the program by the ending. */
const endings: Readonly<Record<ReportFile['kind'], string>> = {
  pdf: '.pdf',
  html: '.html',
  json: '.json',
  markdown: '.md',
  'csv-offline': '.csv',
  'csv-online': '.csv',
  'csv-accuracy': '.csv',
};

/** What older versions wrote: the absolute path in the run's `results`, wherever the home was then. */
const inResults = /^\/(?:[^/]+\/)*results\/([^/]+)$/;

/** The name inside `results`; null for anything else. */
function nameOf({ kind, path }: ReportFile): string | null {
  const parts = path.split('/');
  if (parts.includes('..') || parts.includes('.')) return null;
  const name = isAbsolute(path) ? inResults.exec(path)?.[1] : path;
  if (name === undefined || name.startsWith('.') || !/^[\w.-]+$/.test(name)) return null;
  return name.endsWith(endings[kind]) ? name : null;
}

/** As the journal keeps them: names inside `results`, so that a moved run opens its own reports. */
export function reportNames(files: readonly ReportFile[]): ReportFile[] {
  return files.map(({ kind, path }) => ({ kind, path: basename(path) }));
}

/** With paths in the folder where the run is now; what the journal names outside of `results` is left out. */
export function reportPaths(folder: RunFolder, files: readonly ReportFile[]): ReportFile[] {
  return files.flatMap((file) => {
    const name = nameOf(file);
    return name === null ? [] : [{ kind: file.kind, path: join(folder.results, name) }];
  });
}

/**
 * The path of one report, to be opened or copied. A journal may come from somebody else: nothing outside of the run's
 * `results` is opened for it. Throws report-failed.
 */
export async function requireReport(folder: RunFolder, file: ReportFile): Promise<string> {
  const [found] = reportPaths(folder, [file]);
  const refuse = (message: string, where: string, cause?: unknown) =>
    new WorkbenchError('report-failed', message, {
      where,
      remedy: 'Write the reports again with the command "report".',
      cause,
    });
  if (found === undefined) {
    throw refuse(
      `The journal names ${JSON.stringify(file.path)} as its ${file.kind} report, which is not a ${endings[file.kind]} file in the results folder of the run`,
      folder.journal,
    );
  }
  const entry = await lstat(found.path).catch((error: unknown) => {
    throw refuse(`The ${file.kind} report is missing`, found.path, error);
  });
  const isOwn =
    (await realpath(folder.results)) === join(await realpath(folder.dir), basename(folder.results));
  if (entry.isFile() && isOwn) return found.path;
  throw refuse(`The ${file.kind} report is a link or not a file`, found.path);
}
