import { type Argument, type Command, CommanderError, type Option } from 'commander';
import { didYouMean } from '../../contract/fields/nearest-name';

/** "images build"; '' for the program itself. */
export const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

/** Commander keeps hidden commands private; only its help filters them. */
const visibleIn = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

/** Every listed verb, parents before children. */
export function commandsOf(program: Command): readonly Command[] {
  return visibleIn(program).flatMap((command) => [command, ...commandsOf(command)]);
}

/** Listed options except `--help`. */
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
  readonly words: number;
}

/** The verb that `words` begin with, or the program itself. Leading options are skipped. */
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
 * Throws as for a word that is not a command. Commander answers `--help` without looking at the words before it.
 * @param words without the program's name
 */
export function requireKnownVerb(program: Command, words: readonly string[]): void {
  const { command, words: named } = verbIn(program, words);
  const rest = words.slice(named);
  const word = command === program ? rest.find((one) => !one.startsWith('-')) : rest[0];
  if (word === undefined || word.startsWith('-')) return;
  const names = visibleIn(command).map((one) => one.name());
  if (names.length === 0) return;
  const hint = didYouMean(word, names);
  throw new CommanderError(1, 'commander.unknownCommand', `error: unknown command '${word}'${hint}`);
}

/** An option of the command that was given before it; null for any other mistake. */
function optionBefore(command: Command, words: readonly string[], error: CommanderError): string | null {
  if (error.code !== 'commander.unknownOption' || command.parent === null) return null;
  const early = words.slice(0, Math.max(0, words.indexOf(command.name())));
  const found = early.find((word) => command.options.some((option) => isFlag(option, word)));
  return found === undefined ? null : `error: option '${found}' is given before the command it belongs to`;
}

/** One line with the mistake and where the help is. null if help was printed. @param words without the program's name */
export function usageError(program: Command, words: readonly string[], error: CommanderError): string | null {
  if (error.code === 'commander.help') return null;
  const { command, words: named } = verbIn(program, words);
  const verb = pathOf(command);
  const others = visibleIn(command).map((one) => one.name());
  const typed = words.slice(named).find((word) => !word.startsWith('-'));
  // Excess arguments of a command group are a misspelled subcommand.
  const isMisspelled = error.code === 'commander.excessArguments' && others.length > 0 && typed !== undefined;
  const early = optionBefore(command, words, error);
  const reason = isMisspelled
    ? `error: unknown command '${typed}' of ${verb}${didYouMean(typed, others)}, which has ${others.join(', ')}`
    : (early ?? error.message.replace(/\s*\n\s*/g, ' ').replace(/[.\s]+$/, ''));
  return `${reason}. See "${[program.name(), verb, '--help'].filter((part) => part !== '').join(' ')}".`;
}
