import type { Argument, Command, CommanderError, Option } from 'commander';

/** "images build"; '' for the program itself. */
export const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

/** Commander keeps what is hidden to itself: help is where it says so. */
const visibleIn = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

/** Every verb that help lists, each after the one that it belongs to. */
export function commandsOf(program: Command): readonly Command[] {
  return visibleIn(program).flatMap((command) => [command, ...commandsOf(command)]);
}

/** Options that help lists, `--help` aside. */
export const optionsOf = (command: Command): readonly Option[] =>
  command.options.filter((option) => !option.hidden);

/** Whether the word is this option. */
export const isFlag = ({ long, short }: Option, word: string): boolean => word === long || word === short;

/** "[preset]", "<run...>". */
export function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

interface FoundVerb {
  readonly command: Command;
  /** How many of the words name the verb. */
  readonly words: number;
}

/** The verb that words begin with, the program itself where they name none; options before it are passed over. */
export function verbIn(program: Command, words: readonly string[]): FoundVerb {
  let found: FoundVerb = { command: program, words: 0 };
  for (const [at, word] of words.entries()) {
    if (word.startsWith('-')) {
      if (found.command === program) continue;
      break;
    }
    const next = found.command.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    found = { command: next, words: at + 1 };
  }
  return found;
}

/**
 * What is wrong with a command line, on one line, and where its help is; null where help itself was printed.
 * @param words the command line behind the program's name
 */
export function usageError(program: Command, words: readonly string[], error: CommanderError): string | null {
  if (error.code === 'commander.help') return null;
  const { command, words: named } = verbIn(program, words);
  const verb = pathOf(command);
  const others = visibleIn(command).map((one) => one.name());
  const typed = words.slice(named).find((word) => !word.startsWith('-'));
  // A group without a command does its usual one: what was typed is a misspelled command, and no argument of that.
  const isMisspelled = error.code === 'commander.excessArguments' && others.length > 0 && typed !== undefined;
  const reason = isMisspelled
    ? `error: unknown command '${typed}' of ${verb}, which has ${others.join(', ')}`
    : error.message.replace(/\s*\n\s*/g, ' ').replace(/[.\s]+$/, '');
  return `${reason}. See "${[program.name(), verb, '--help'].filter((part) => part !== '').join(' ')}".`;
}
