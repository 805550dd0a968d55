import { constants } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { ReportFile, Scenario } from '../contract/run/run-events';
import type { LoadLevel } from '../contract/run/sweep';
import { sweepTemporary } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { fileError, openPlain, requirePlainEntry } from '../platform/plain-entry';
import type { RunFolder } from './run-folder';

/** @param turn which measurement of the level; '' for the first */
export function levelFolder(folder: RunFolder, scenario: Scenario, level: LoadLevel, turn = ''): string {
  const rate = level.requestRate === undefined ? '' : `-r${level.requestRate}`;
  return join(folder.step(scenario), `b${level.batchSize}-c${level.concurrency}${rate}${turn}`);
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Removes abandoned temporary files outside runs. Never rejects. */
export async function sweepHomeFiles(layout: HomeLayout): Promise<void> {
  const { home, runs, cache, engines, devices } = layout;
  const queues = (await namesIn(devices)).map((name) => join(devices, name));
  for (const folder of [home, runs, cache, engines, ...queues]) await sweepTemporary(folder);
}

/** Run folders may contain foreign links, which are never followed. */
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The same in a run folder; requires its lease. */
export async function sweepRunFiles({ dir, results }: RunFolder): Promise<void> {
  const steps = join(dir, 'steps');
  const names = (await isFolder(steps)) ? await namesIn(steps) : [];
  for (const folder of [dir, results, ...names.map((name) => join(steps, name))]) {
    if (await isFolder(folder)) await sweepTemporary(folder);
  }
}

/** Tail to read: 20,000 lines, the window's maximum, of 800 bytes. */
const mostBytes = 16 * 1024 * 1024;

/** The last lines of a log; empty without one. Does not follow links. Throws run-folder-unsafe. */
export async function readLogTail(path: string, limit: number): Promise<string[]> {
  const stepFolder = dirname(path);
  for (const folder of [dirname(stepFolder), stepFolder]) await requirePlainEntry(folder);
  try {
    const file = await openPlain(path, constants.O_RDONLY);
    try {
      const { size } = await file.stat();
      const from = Math.max(0, size - mostBytes);
      const buffer = Buffer.alloc(size - from);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      // Probably incomplete.
      if (from > 0) lines.shift();
      if (lines[lines.length - 1] === '') lines.pop();
      return lines.slice(-limit);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fileError(error, path);
  }
}

/** Extensions by which a desktop chooses programs. */
const endings: Readonly<Record<ReportFile['kind'], string>> = {
  pdf: '.pdf',
  html: '.html',
  json: '.json',
  markdown: '.md',
  'csv-offline': '.csv',
  'csv-online': '.csv',
  'csv-accuracy': '.csv',
  'csv-slices': '.csv',
  'csv-cold-start': '.csv',
  'csv-traces': '.csv',
};

/** Older versions stored absolute paths. */
const inResults = /^\/(?:[^/]+\/)*results\/([^/]+)$/;

/** Name in `results`, or null. */
function nameOf({ kind, path }: ReportFile): string | null {
  const parts = path.split('/');
  if (parts.includes('..') || parts.includes('.')) return null;
  const name = isAbsolute(path) ? inResults.exec(path)?.[1] : path;
  if (name === undefined || name.startsWith('.') || !/^[\w.-]+$/.test(name)) return null;
  return name.endsWith(endings[kind]) ? name : null;
}

/** Stored as names, so that moved runs find their reports. */
export function reportNames(files: readonly ReportFile[]): ReportFile[] {
  return files.map(({ kind, path }) => ({ kind, path: basename(path) }));
}

/** Absolute paths; drops files outside `results`. */
export function reportPaths(folder: RunFolder, files: readonly ReportFile[]): ReportFile[] {
  return files.flatMap((file) => {
    const name = nameOf(file);
    return name === null ? [] : [{ kind: file.kind, path: join(folder.results, name) }];
  });
}

/** Path of a report. Journals may be foreign, so paths outside `results` are refused. Throws report-failed. */
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
