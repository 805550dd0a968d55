import type { Command } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { commandsOf, pathOf } from '../../../../main/cli/help/command-tree';
import { useColors } from '../../../../main/cli/print/terminal';
import { programWith } from '../../../support/cli-program';

afterEach(() => {
  useColors({ stdout: false, stderr: false });
});

/** What a verb's help prints, with what follows it. */
function helpOf(command: Command): string {
  const shown: string[] = [];
  command.configureOutput({ ...command.configureOutput(), writeOut: (text) => void shown.push(text) });
  command.outputHelp();
  return shown.join('');
}

const everything = () => {
  const program = programWith();
  return [program, ...commandsOf(program)];
};

const longest = (text: string): string =>
  text.split('\n').reduce((one, other) => (other.length > one.length ? other : one), '');

describe('help', () => {
  it.each(everything().map((command) => [pathOf(command), command] as const))(
    'of "%s" is within 80 columns without a terminal, and says everything',
    (_verb, command) => {
      const text = helpOf(command);
      expect(longest(text).length, longest(text)).toBeLessThanOrEqual(80);
      const said = text.replace(/\s+/g, ' ');
      const help = command.createHelp();
      for (const option of help.visibleOptions(command)) {
        expect(said).toContain(help.optionTerm(option));
        expect(said).toContain(help.optionDescription(option).replace(/\s+/g, ' '));
      }
    },
  );

  it.each([80, 100, 200])('follows a terminal of %i columns', (columns) => {
    const { isTTY, columns: before } = process.stdout;
    Object.assign(process.stdout, { isTTY: true, columns });
    try {
      for (const command of everything())
        expect(longest(helpOf(command)).length, longest(helpOf(command))).toBeLessThanOrEqual(columns);
    } finally {
      Object.assign(process.stdout, { isTTY, columns: before });
    }
  });

  it('has colors where the stream has them, and none elsewhere', () => {
    const [, run] = everything();
    if (run === undefined) throw new Error('no verb');
    expect(helpOf(run)).not.toContain('\u001b');
    useColors({ stdout: true, stderr: false });
    expect(helpOf(run)).toContain('\u001b[1mUsage:\u001b[0m');
    expect(helpOf(run)).toContain('\u001b[1mExamples:\u001b[0m');
  });

  it('continues an example with the value of an option beside it', () => {
    for (const command of everything()) {
      for (const line of helpOf(command)
        .split('\n')
        .filter((one) => one.endsWith(' \\')))
        expect(line).not.toMatch(/ --?[\w-]+ \\$/);
    }
  });

  it('continues a long example as a shell does', () => {
    const compare = everything().find((command) => pathOf(command) === 'compare');
    if (compare === undefined) throw new Error('no compare');
    const joined = helpOf(compare).replace(/ \\\n +/g, ' ');
    expect(joined).toContain(
      "triton-workbench compare accepted latest --measure --budget 3m --fail-if 'throughput<0.93x'",
    );
  });
});

describe('help COMMAND', () => {
  const said = async (...words: string[]) => {
    const shown: string[] = [];
    const program = programWith();
    for (const command of [program, ...commandsOf(program)]) {
      command.configureOutput({ ...command.configureOutput(), writeOut: (text) => void shown.push(text) });
    }
    await program.parseAsync(words, { from: 'user' });
    return shown.join('');
  };

  it('is the help of the command, or of all', async () => {
    expect(await said('help', 'images', 'build')).toMatch(/^Usage: triton-workbench images build /);
    expect(await said('help')).toMatch(/^Usage: triton-workbench \[options\] \[command\]/);
  });

  it('refuses what is not a command', async () => {
    await expect(said('help', 'shwo')).rejects.toThrow("unknown command 'shwo' (Did you mean show?)");
    await expect(said('help', 'images', 'biuld')).rejects.toThrow(
      "unknown command 'biuld' (Did you mean build?)",
    );
  });
});
