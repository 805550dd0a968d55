import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf, pathOf } from '../../../main/cli/help/command-tree';
import { errorCodes } from '../../../main/contract/error-text';
import packageJson from '../../../package.json';
import { parseOnly, programWith, shellWords } from '../../support/cli-program';

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('test/') && file !== 'CHANGELOG.md');

const textOf = (file: string): string => readFileSync(file, 'utf8');
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
const anchorsOf = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));

/** Links of Markdown, code left out: where each leads. */
const linksOf = (file: string): readonly string[] =>
  [
    ...textOf(file)
      .replace(/```[^]*?```|`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, to]) => to ?? '');

describe('links in the documents', () => {
  const links = documents.flatMap((file) =>
    linksOf(file)
      .filter((to) => !/^[a-z]+:/.test(to))
      .map((to) => [file, to] as const),
  );
  it.each(links)('%s: %s leads somewhere', (file, to) => {
    const [path = '', anchor] = to.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    expect(existsSync(target)).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(target)).toContain(anchor);
  });
});

const leftOut = new Set([
  'commander.missingArgument',
  'commander.optionMissingArgument',
  'commander.missingMandatoryOptionValue',
]);

/** What `--help` and `--version` end with. */
const shown = new Set(['commander.helpDisplayed', 'commander.version']);

/** Text that looks like a command: spans and lines of blocks. */
const codeOf = (file: string): readonly string[] => {
  const text = textOf(file);
  const blocks = [...text.matchAll(/```\w*\n([^]*?)```/g)].flatMap(([, block]) =>
    (block ?? '').replace(/\\\n\s*/g, '').split('\n'),
  );
  const spans = [...text.replace(/```[^]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, span]) =>
    (span ?? '').replace(/\s+/g, ' '),
  );
  return [...blocks, ...spans].map((line) => line.trim().replace(/^\$ /, ''));
};

const verbs = commandsOf(programWith())
  .map(pathOf)
  .filter((verb) => !verb.includes(' '));

/** The words behind the program's name; null: it is not a command of it. Only its beginning where the line leaves something out. */
function commandIn(line: string): { readonly words: readonly string[]; readonly isPart: boolean } | null {
  const [, behind] = /^(?:\w+=\S+ )*(?:npm run (?:-s )?cli -- |triton-workbench )(.*)$/.exec(line) ?? [];
  const plain =
    behind ?? (verbs.some((verb) => line.startsWith(`${verb} `)) && / --?[a-z]/.test(line) ? line : null);
  if (plain === null) return null;
  const [whole = ''] = plain.split(/ (?:[|>&;#]|2>|&&)/);
  const words = shellWords(whole);
  const isLeftOut = words.some((word) => /…|\.\.\.$|[<>[\]]/.test(word) && !word.includes('='));
  return words.length === 0 || isLeftOut ? null : { words, isPart: behind === undefined };
}

describe('commands in the documents', () => {
  const commands = documents.flatMap((file) =>
    codeOf(file).flatMap((line) => {
      const command = commandIn(line);
      return command === null ? [] : [[file, command.words.join(' '), command] as const];
    }),
  );

  it('are many', () => {
    expect(commands.length).toBeGreaterThan(40);
  });

  it.each(commands)('%s: %s', async (_file, _line, { words, isPart }) => {
    const error: unknown = await parseOnly(words).catch((reason: unknown) => reason);
    if (error instanceof CommanderError && shown.has(error.code)) return;
    // A part of a command line in running text leaves out what it does not speak of.
    if (error instanceof CommanderError && !(isPart && leftOut.has(error.code))) throw error;
    if (!(error instanceof CommanderError) && error instanceof Error) throw error;
  });

  const scripts = documents.flatMap((file) =>
    [...textOf(file).matchAll(/\bnpm (?:run (?:-s )?([a-z][\w:]*)|(start|test)\b)/g)].map(
      ([, script, own]) => [file, script ?? own ?? ''] as const,
    ),
  );
  it.each(scripts)('%s: npm run %s', (_file, name) => {
    expect(Object.keys(packageJson.scripts)).toContain(name);
  });
});

describe('the troubleshooting page', () => {
  const page = textOf('docs/guide/troubleshooting.md');
  const codes = [...page.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, code]) => code ?? '');

  it.each(codes)('%s is an error code', (code) => {
    expect(errorCodes).toContain(code);
  });
});

describe('the glossary', () => {
  const terms = [...textOf('docs/guide/glossary.md').matchAll(/^\| ([^|]+) \| [^|]+(?:\\\|[^|]+)* \|$/gm)]
    .map(([, term]) => term ?? '')
    .filter((term) => term !== 'term' && !term.startsWith('---'));

  it('has each term once, in order', () => {
    expect(terms.length).toBeGreaterThan(50);
    const inOrder = [...new Set(terms)].sort((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }));
    expect(terms).toEqual(inOrder);
  });
});
