import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cleanLine } from '../platform/lines';
import { readBoundedFile } from '../platform/plain-entry';
import { privateFile } from '../platform/private-home';
import type { Redact } from './redact';

const fileBytes = 1024 * 1024;
const files = 5;
const mostChars = 2000;

export const applicationLog = 'application.log';

type Level = 'info' | 'warning' | 'error';

/** Log of the window's main process; every line passes `redact`. */
export interface ApplicationLog {
  add(level: Level, text: string): void;
}

/** `application.log` is the newest, then `application.1.log` and so on. */
const pathOf = (folder: string, index: number): string =>
  join(folder, index === 0 ? applicationLog : `application.${index}.log`);

function rotate(folder: string): void {
  rmSync(pathOf(folder, files - 1), { force: true });
  for (let index = files - 2; index >= 0; index -= 1) {
    try {
      renameSync(pathOf(folder, index), pathOf(folder, index + 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/**
 * Five private files of at most 1 MiB, written synchronously, so that a crash loses nothing; write errors are ignored.
 * @param folder must exist
 */
export function openApplicationLog(
  folder: string,
  { now, redact, limitBytes = fileBytes }: { now: () => Date; redact: Redact; limitBytes?: number },
): ApplicationLog {
  const sizeOf = (): number => {
    try {
      return statSync(pathOf(folder, 0)).size;
    } catch {
      return 0;
    }
  };
  const state = { size: sizeOf() };
  return {
    add: (level, text) => {
      const one = cleanLine(redact(text.replaceAll('\n', ' ⏎ '))).slice(0, mostChars);
      const line = `${now().toISOString()} ${level} ${one}\n`;
      const bytes = Buffer.byteLength(line);
      try {
        if (state.size > 0 && state.size + bytes > limitBytes) {
          rotate(folder);
          state.size = 0;
        }
        appendFileSync(pathOf(folder, 0), line, { mode: privateFile });
        state.size += bytes;
      } catch {
        // The program continues without a writable log.
      }
    },
  };
}

/** Oldest first, of the two newest files. */
export async function readApplicationLog(folder: string, limit: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const index of [1, 0]) {
    const found = await readBoundedFile(pathOf(folder, index), 4 * fileBytes);
    if ('text' in found) texts.push(found.text);
  }
  return texts.join('').split('\n').filter(Boolean).slice(-limit);
}
