import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { requireKnownVerb, usageError } from '../../../../main/cli/help/command-tree';
import { programWith } from '../../../support/cli-program';

async function said(...words: string[]): Promise<string | null> {
  const program = programWith();
  const error: unknown = await program.parseAsync(words, { from: 'user' }).catch((reason: unknown) => reason);
  if (error instanceof CommanderError) return usageError(program, words, error);
  throw error;
}

describe('a misspelled command', () => {
  it.each([
    ['hosts', 'lsit'],
    ['deployments', 'lsit'],
    ['images', 'biuld'],
    ['settings', 'foo'],
    ['presets', 'foo'],
  ])('of a group that has a usual one is not taken for its argument: %s %s', async (group, word) => {
    expect(await said(group, word)).toMatch(
      new RegExp(
        `^error: unknown command '${word}' of ${group}(?: \\(Did you mean (?:list|build)\\?\\))?, which has .*${group} --help"\\.$`,
      ),
    );
  });

  it('of a group has a suggestion, too', async () => {
    expect(await said('hosts', 'lsit')).toContain("'lsit' of hosts (Did you mean list?), which has");
    expect(await said('settings', 'foo')).toContain("'foo' of settings, which has");
  });

  it('an option of the command that is given before it is called that', async () => {
    expect(await said('--json', 'runs')).toBe(
      `error: option '--json' is given before the command it belongs to. See "triton-workbench runs --help".`,
    );
    expect(await said('--nosuch', 'runs')).toContain("unknown option '--nosuch'");
    expect(await said('runs', '--nosuch')).toContain("unknown option '--nosuch'");
  });

  it('has a suggestion, and too many arguments are still that', async () => {
    expect(await said('rnu')).toBe(
      `error: unknown command 'rnu' (Did you mean run?). See "triton-workbench --help".`,
    );
    expect(await said('show', 'a', 'b')).toContain('too many arguments');
  });
});

describe('a command line that asks for help', () => {
  it.each([
    [['nosuch', '--help'], "unknown command 'nosuch'"],
    [['rnu', '-h'], "unknown command 'rnu' (Did you mean run?)"],
    [['-q', 'rnu', '--help'], "unknown command 'rnu' (Did you mean run?)"],
    [['images', 'biuld', '--help'], "unknown command 'biuld' (Did you mean build?)"],
  ] as const)('is refused for a word that is not a command: %j', (words, message) => {
    expect(() => requireKnownVerb(programWith(), words)).toThrow(message);
  });

  it.each([
    ['--help'],
    ['run', 'resnet50', '--help'],
    ['images', '--help'],
    ['images', '--json', 'x', '-h'],
    ['show', 'a'],
  ])('is taken where there is none: %j %j %j', (...words) => {
    expect(() => requireKnownVerb(programWith(), words)).not.toThrow();
  });
});
