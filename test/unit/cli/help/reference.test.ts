import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandsOf, optionsOf, pathOf } from '../../../../main/cli/help/command-tree';
import { referencePage } from '../../../../main/cli/help/reference';
import { environmentVariables } from '../../../../main/cli/help/reference-tables';
import { errorCodes } from '../../../../main/contract/error-text';
import { programWith } from '../../../support/cli-program';

describe('docs/reference', () => {
  it.each(['cli', 'errors', 'environment'] as const)(
    'has the page %s as the program prints it',
    async (page) => {
      await expect(referencePage(programWith(), page)).toMatchFileSnapshot(
        `../../../../docs/reference/${page}.md`,
      );
    },
  );

  it('has every option of every command', () => {
    const page = referencePage(programWith(), 'cli');
    for (const command of commandsOf(programWith())) {
      for (const { flags } of optionsOf(command)) {
        const shown = page.slice(page.indexOf(`\n## ${pathOf(command)}\n`));
        expect(shown, pathOf(command)).toContain(`| \`${flags}\` |`.replaceAll('|', '|'));
      }
    }
  });

  it('has every error code', () => {
    const page = referencePage(programWith(), 'errors');
    expect(
      [...page.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| [^|]+ \| [^|]+ \| \d+ \|$/gm)].map(([, code]) => code),
    ).toEqual([...errorCodes]);
  });

  it('has every variable of the environment that the code names, and no other', () => {
    const listed = execFileSync('git', ['ls-files', 'main', 'electron', 'renderer', 'scripts', 'resources'], {
      encoding: 'utf8',
    });
    const named = listed
      .split('\n')
      .filter(
        (file) => /\.(?:tsx?|mjs|py|sh|yml)$/.test(file) && file !== 'main/cli/help/reference-tables.ts',
      )
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/\bTRITON_WORKBENCH_[A-Z_]+\b/g)].map(([name]) => name),
      );
    const documented = environmentVariables
      .map(({ name }) => name)
      .filter((name) => name.startsWith('TRITON_WORKBENCH_'));
    expect([...documented].sort()).toEqual([...new Set(named)].sort());
  });
});

it('the manual page has a section per command, and no request that its text would make', () => {
  const page = referencePage(programWith(), 'man');
  const sections = [...page.matchAll(/^\.SS (.*)$/gm)].map(([, title]) => title);
  expect(sections).toHaveLength(commandsOf(programWith()).length);
  const requests = new Set([...page.matchAll(/^\.(\w+)/gm)].map(([, name]) => name));
  expect([...requests].sort()).toEqual(['B', 'I', 'PP', 'RE', 'RS', 'SH', 'SS', 'TH', 'TP', 'fi', 'nf']);
  expect(page).toContain('.B \\-\\-p99\\-budget\\-ms <ms>');
});

it('the manual page has arguments, examples and exit codes of each command', () => {
  const sections = referencePage(programWith(), 'man').split(/^\.SS /m);
  const compare = sections.find((section) => section.startsWith('compare ')) ?? '';
  expect(compare).toContain('.I <run\\-b>\nthe run to judge');
  expect(compare).toContain(
    "\ntriton\\-workbench compare baseline latest \\-\\-fail\\-if 'p99>1.1x' \\-\\-markdown\n",
  );
  expect(compare).toContain('.B 3\nbeyond a criterion');
  const without = sections.slice(1).filter((section) => !section.includes('\nExamples:\n'));
  expect(without.map((section) => section.split(/\s/)[0])).toEqual([]);
});
