import { constants } from 'node:fs';
import type { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { exists } from '../platform/files';
import { fileError, openPlain, readBoundedFile } from '../platform/plain-entry';
import { checkedValue, formatJournalLine } from './journal';

/** Entries are rare. */
const mostBytes = 16 * 2 ** 20;

interface Numbered {
  readonly seq: number;
  readonly at: string;
}

/** A small journal in the run's format, read whole; its lease holder appends. */
export interface EntryJournal<Entry extends Numbered, Body> {
  /** Complete entries. Throws journal-corrupt, and journal-newer where the first is of a newer version. */
  read(path: string): Promise<readonly Entry[]>;
  /** Durable; returns all entries. Throws disk-full, file-unwritable. */
  append(path: string, bodies: readonly Body[]): Promise<readonly Entry[]>;
}

/** @param what "deployment", for errors */
export function createEntryJournal<Body extends object>(
  what: string,
  schema: z.ZodType<Body & Numbered>,
): EntryJournal<Body & Numbered, Body> {
  type Entry = Body & Numbered;
  const readText = async (path: string): Promise<string> => {
    const found = await readBoundedFile(path, mostBytes);
    if ('text' in found) return found.text;
    const message = `The journal of the ${what} cannot be read: ${found.problem}`;
    throw new WorkbenchError('journal-corrupt', message, { where: path });
  };
  const entriesOf = (text: string): readonly Entry[] =>
    text.split('\n').flatMap((line) => {
      const parsed = schema.safeParse(checkedValue(Buffer.from(line)));
      return parsed.success ? [parsed.data] : [];
    });
  const requireKnown = (text: string, path: string): void => {
    const [line = ''] = text.split('\n', 1);
    const value = checkedValue(Buffer.from(line));
    if (value === null || schema.safeParse(value).success) return;
    throw new WorkbenchError('journal-newer', `A newer version of the workbench wrote this ${what}`, {
      where: path,
    });
  };
  return {
    read: async (path) => {
      const text = await readText(path);
      requireKnown(text, path);
      return entriesOf(text);
    },
    append: async (path, bodies) => {
      const before = (await exists(path)) ? await readText(path) : '';
      const entries = entriesOf(before);
      const added = bodies.map((body, index) => ({
        seq: (entries.at(-1)?.seq ?? 0) + index + 1,
        at: new Date().toISOString(),
        ...body,
      }));
      // Starts a new line after a partial one.
      const gap = before === '' || before.endsWith('\n') ? '' : '\n';
      try {
        const file = await openPlain(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
        try {
          await file.appendFile(`${gap}${added.map((entry) => `${formatJournalLine(entry)}\n`).join('')}`);
          await file.datasync();
        } finally {
          await file.close();
        }
      } catch (error) {
        throw fileError(error, path);
      }
      return [...entries, ...added];
    },
  };
}
