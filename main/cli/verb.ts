import { Command } from 'commander';
import type { Core } from '../core';
import type { CliContext, Output } from './output';

/** What a verb works with. */
export interface Given {
  readonly core: Core;
  readonly output: Output;
  /** The exit code, where it is not that of success. */
  readonly exit: (code: number) => void;
}

/** What a verb says at its end: with `--json` the document, else the lines. */
export interface Answer {
  readonly document: unknown;
  readonly lines: () => string | readonly string[];
}

/** A verb of the command line with its options, and its own verbs. */
export class Verb extends Command {
  readonly #context: CliContext;

  constructor(context: CliContext, name?: string) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): Verb {
    return new Verb(this.#context, name);
  }

  /** Looks at what was typed before a core is made for it: `check` throws what is wrong with it. */
  checking(check: (options: never, args: readonly string[]) => unknown): this {
    return this.hook('preAction', () => void check(this.opts<never>(), this.args));
  }

  /** Adds `--json`. `work` is given the arguments and the options, and tells its result itself. */
  work(
    work: (given: Given, ...typed: never[]) => Promise<void>,
    jsonHelp = 'print one JSON document to stdout',
  ): this {
    return this.option('--json', jsonHelp).action(async (...typed: unknown[]) => {
      const { core, output, exit } = this.#context;
      await work({ core: await core(), output: output(this.optsWithGlobals()), exit }, ...(typed as never[]));
    });
  }

  /** Adds `--json`. `answer` is given the arguments and the options. */
  answer(answer: (given: Given, ...typed: never[]) => Answer | Promise<Answer>): this {
    return this.work(async (given: Given, ...typed: never[]) => {
      const { document, lines } = await answer(given, ...typed);
      if (given.output.json) given.output.document(document);
      else for (const line of [lines()].flat()) given.output.say(line);
    });
  }
}
