import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App, BrowserWindow } from 'electron';
import { WorkbenchError } from '../main/contract/errors';
import { type Opened, runIdOfAddress } from '../main/contract/opened';

/** Arguments that are files to open: neither flags nor the app itself. */
export function openedBy(argv: readonly string[], cwd: string, app: string): readonly string[] {
  return argv
    .slice(1)
    .filter((arg) => arg !== '' && !arg.startsWith('-') && resolve(cwd, arg) !== app)
    .map((arg) => (/^[a-z][a-z0-9+.-]+:/i.test(arg) ? arg : resolve(cwd, arg)));
}

function pathOf(text: string): string {
  if (!text.startsWith('file:')) return text;
  try {
    return fileURLToPath(text);
  } catch (cause) {
    throw new WorkbenchError('input-invalid', 'The address is not that of a file on this machine', {
      where: text.slice(0, 200),
      remedy: 'Open a run.yaml that is on this machine.',
      cause,
    });
  }
}

/** Kept until the page, which may not be loaded yet, takes them. */
export interface Openings {
  readonly add: (asked: readonly string[]) => void;
  /** The oldest; null: none waits. Throws for a file that cannot be opened. */
  readonly take: () => Promise<Opened | null>;
}

export function createOpenings(options: {
  /** Reads a file that the person opened; what it names beside itself may then be used. */
  readonly read: (path: string) => Promise<string>;
  readonly onAsked: () => void;
}): Openings {
  const waiting: string[] = [];
  return {
    add: (asked) => {
      for (const one of asked) {
        waiting.push(one);
        options.onAsked();
      }
    },
    take: async () => {
      const next = waiting.shift();
      if (next === undefined) return null;
      const runId = runIdOfAddress(next);
      if (runId !== null) return { kind: 'run', runId };
      if (/^triton-workbench:/i.test(next)) {
        throw new WorkbenchError('input-invalid', 'The address does not name a run', {
          where: next.slice(0, 200),
          remedy: 'The address of a run is triton-workbench://run/ and its id.',
        });
      }
      const path = pathOf(next);
      return { kind: 'configuration', fileName: basename(path), text: await options.read(path) };
    },
  };
}

/** Files are opened while the app runs by a second start, and on macOS by the desktop itself. */
export function subscribeToOpenings(
  app: App,
  window: BrowserWindow,
  { add }: Openings,
  front: () => void,
): void {
  const opened = (asked: readonly string[]): void => {
    front();
    add(asked);
  };
  app.on('second-instance', (_event, argv, cwd) => opened(openedBy(argv, cwd, app.getAppPath())));
  for (const name of ['open-url', 'open-file'] as const) {
    app.on(name as 'open-url', (event, asked) => {
      event.preventDefault();
      if (!window.isDestroyed()) opened([asked]);
    });
  }
}
