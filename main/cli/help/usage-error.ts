import type { Command, CommanderError } from 'commander';
import { pathOf, verbIn } from './command-tree';

/**
 * What is wrong with a command line, on one line, and where its help is; null where help itself was printed.
 * @param words the command line behind the program's name
 */
export function usageError(program: Command, words: readonly string[], error: CommanderError): string | null {
  if (error.code === 'commander.help') return null;
  const reason = error.message.replace(/\s*\n\s*/g, ' ').replace(/[.\s]+$/, '');
  const verb = pathOf(verbIn(program, words).command);
  return `${reason}. See "${[program.name(), verb, '--help'].filter((part) => part !== '').join(' ')}".`;
}
