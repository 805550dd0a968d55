import type { Command } from 'commander';
import { addEveryVerb } from '../../main/cli/every-verb';
import { type CliContext, createOutput } from '../../main/cli/output';
import { createProgram } from '../../main/cli/program';
import type { Core } from '../../main/core';

interface Given extends Partial<CliContext> {
  readonly openWindow?: (args: readonly string[]) => Promise<void>;
}

/** Without `core`, a verb that asks for one fails. */
export function contextOf(given: Partial<CliContext> = {}): CliContext {
  const { core = () => Promise.reject(new Error('no core in this test')) } = given;
  return {
    output: ({ json }) => createOutput(json === true),
    exit: () => undefined,
    reading: core,
    ...given,
    core,
  };
}

/** The command tree. */
export function programWith({ openWindow = () => Promise.resolve(), ...given }: Given = {}): Command {
  return createProgram(contextOf(given), '0.0.0-test', (program, context) => {
    addEveryVerb(program, context, { docs: 'docs', openWindow });
  });
}

/** What a command line says to people, its JSON documents, and the exit codes that it sets. */
export async function said(
  core: Core,
  ...words: readonly string[]
): Promise<{
  readonly text: string;
  readonly documents: readonly unknown[];
  readonly codes: readonly number[];
}> {
  const lines: string[] = [];
  const codes: number[] = [];
  const documents: unknown[] = [];
  const program = programWith({
    core: () => Promise.resolve(core),
    exit: (code) => codes.push(code),
    output: ({ json = false }) => ({
      ...{ json, live: false, rewrite: () => undefined, clearScreen: () => undefined },
      say: (line) => lines.push(line),
      document: (value) => documents.push(value),
    }),
  });
  await program.parseAsync(words, { from: 'user' });
  return { text: lines.join('\n'), documents, codes };
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** Reads a command line and does nothing: rejects with what is wrong with it, its values included. */
export async function parseOnly(words: readonly string[]): Promise<Command> {
  const program = programWith();
  const read: { command: Command | null } = { command: null };
  for (const command of everyCommand(program)) {
    if (command.commands.length > 0 && command !== program && command.registeredArguments.length === 0)
      continue;
    if (command === program) continue;
    command.action(() => {
      read.command = command;
    });
  }
  await program.parseAsync([...words], { from: 'user' });
  return read.command ?? program;
}

/** The words of a line as a shell reads them; quotes and backslashes count, nothing is expanded. */
export function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_all, double?: string, single?: string, one?: string) =>
        (double ?? single ?? one ?? '').replace(/\\(["\\])/g, '$1'),
    ),
  );
}
