import { Help, type Option } from 'commander';
import { largestOf } from '../../domain/statistics';
import { ansi, helpWidth, wrapped } from '../print/terminal';

const indent = '  ';
const usage = 'Usage: ';

/** Makes every option description a sentence. */
function optionSentence(option: Option): string {
  const text = new Help().optionDescription(option);
  // Leaves words like "gRPC", "p99" and "run.yaml" as they are.
  const begun = /^[a-z]+(?![\w.])/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return `${begun}${/[.)\]]$/.test(text) ? '' : '.'}`;
}

const hung = (lines: readonly string[], by: string): string => lines.join(`\n${by}`);

/** How commander lays help out: a term that is longer than a third of the width has a line of its own. */
export const helpLayout = {
  optionDescription: optionSentence,
  minWidthToWrap: 20,
  padWidth: (...[command, helper]: Parameters<Help['padWidth']>) =>
    Math.min(new Help().padWidth(command, helper), Math.floor((helper.helpWidth ?? 80) / 3)),
  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    if (description === '') return `${indent}${term}`;
    const width = helper.helpWidth ?? 80;
    const column = ' '.repeat(termWidth + 2 * indent.length);
    const text = hung(wrapped(description, width - column.length), column);
    const termColumns = helper.displayWidth(term);
    if (termColumns > termWidth) return `${indent}${term}\n${column}${text}`;
    return `${indent}${term}${' '.repeat(termWidth - termColumns)}${indent}${text}`;
  },
  styleTitle: (text: string) => ansi('title', text),
  styleUsage: (text: string) => hung(wrapped(text, helpWidth() - usage.length), ' '.repeat(usage.length)),
  styleOptionTerm: (text: string) => ansi('term', text),
  styleSubcommandTerm: (text: string) => ansi('term', text),
  styleArgumentTerm: (text: string) => ansi('term', text),
};

/** Breaks a command line at spaces outside of quotes, as a shell continues it. */
function commandLines(line: string, width: number): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    // Room for the " \" at its end.
    if (last === undefined || last.length + word.length + 3 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((one, at) => (at === lines.length - 1 ? one : `${one} \\`));
}

interface Example {
  readonly line: string;
  readonly what: string;
}

/** The examples, each with a comment. */
export function examplesText(examples: readonly Example[]): string {
  const width = helpWidth() - indent.length;
  const lines = examples.flatMap(({ line, what }) => [
    ...wrapped(what, width - 2).map((text) => ansi('faint', `# ${text}`)),
    hung(commandLines(line, width - indent.length), indent.repeat(2)),
  ]);
  return `${ansi('title', 'Examples:')}\n${lines.map((line) => `${indent}${line}`).join('\n')}`;
}

/** Rows of two columns under a title, the second one wrapped. */
export function rowsText(title: string, rows: readonly (readonly [string, string])[]): string {
  const first = largestOf(rows.map(([term]) => term.length));
  const column = ' '.repeat(first + 2 * indent.length);
  const lines = rows.map(
    ([term, text]) =>
      `${indent}${ansi('term', term.padEnd(first))}${indent}${hung(wrapped(text, helpWidth() - column.length), column)}`,
  );
  return `${ansi('title', title)}\n${lines.join('\n')}`;
}

/** A paragraph of help. */
export const paragraph = (text: string): string => wrapped(text, helpWidth()).join('\n');
