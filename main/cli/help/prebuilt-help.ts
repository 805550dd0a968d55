import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { colorsFor, helpWidth, outliveReaders, withoutAnsi } from '../print/terminal';
import { type HelpPage, helpText } from './help-layout';

/** Beside the program. */
export const prebuiltHelpFile = 'help.json';

/** By the words of a command; the program's own has none. */
export type PrebuiltHelp = Readonly<Record<string, HelpPage>>;

/** The command whose help these words ask for and nothing else; null: the program has to read them. */
export function helpAsked(words: readonly string[]): string | null {
  const [first, ...others] = words;
  const names = first === 'help' ? others : words.slice(0, -1);
  const asks = first === 'help' || ['--help', '-h'].includes(words.at(-1) ?? '');
  return asks && !names.some((name) => name.startsWith('-')) ? names.join(' ') : null;
}

/** Prints a page of the build. @returns false where it has none of that command */
export function printPrebuilt(bundles: string, command: string, words: readonly string[]): boolean {
  let pages: PrebuiltHelp;
  try {
    pages = JSON.parse(readFileSync(join(bundles, prebuiltHelpFile), 'utf8')) as PrebuiltHelp;
  } catch {
    return false;
  }
  const page = Object.hasOwn(pages, command) ? pages[command] : undefined;
  if (page === undefined) return false;
  outliveReaders();
  const text = helpText(page, helpWidth());
  process.stdout.write(colorsFor(process.stdout, process.env, words) ? text : withoutAnsi(text));
  return true;
}
