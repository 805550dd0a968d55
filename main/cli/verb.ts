import { Command } from 'commander';
import type { Core } from '../core';
import type { ReadingCore } from '../core/reading-core';
import type { JsonDocument } from './json/documents';
import type { CliContext, Output } from './output';

export interface Given<AnyCore = Core> {
  readonly core: AnyCore;
  readonly output: Output;
  /** Sets another exit code than 0. */
  readonly exit: (code: number) => void;
}

/** The document of `--json`, or the lines for people. */
export interface Answer {
  /** Or what makes it, where it takes long. */
  readonly document: JsonDocument | (() => JsonDocument);
  readonly lines: () => string | readonly string[];
}

export class Verb extends Command {
  readonly #context: CliContext;

  constructor(context: CliContext, name?: string) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): Verb {
    return new Verb(this.#context, name);
  }

  /** `check` throws on bad input before the core is created. */
  checking(check: (options: never, args: readonly string[]) => unknown): this {
    return this.hook('preAction', () => void check(this.opts<never>(), this.args));
  }

  /** Adds `--json`. `work` gets arguments and options, and prints its own result. */
  work(
    work: (given: Given, ...typed: never[]) => Promise<void>,
    jsonHelp = 'print one JSON document to stdout',
  ): this {
    return this.#working(() => this.#context.core(), jsonHelp, work);
  }

  /** Adds `--json`. `answer` gets arguments and options. */
  answer(answer: (given: Given, ...typed: never[]) => Answer | Promise<Answer>): this {
    return this.#answered(() => this.#context.core(), answer);
  }

  /** As `answer`, of a verb that only reads: of the core it loads what reads. */
  reading(answer: (given: Given<ReadingCore>, ...typed: never[]) => Answer | Promise<Answer>): this {
    return this.#answered(() => this.#context.reading(), answer);
  }

  #answered<AnyCore>(
    made: () => Promise<AnyCore>,
    answer: (given: Given<AnyCore>, ...typed: never[]) => Answer | Promise<Answer>,
  ): this {
    return this.#working(made, 'print one JSON document to stdout', async (given, ...typed) => {
      const { document, lines } = await answer(given, ...typed);
      if (given.output.json) given.output.document(typeof document === 'function' ? document() : document);
      else for (const line of [lines()].flat()) given.output.say(line);
    });
  }

  #working<AnyCore>(
    made: () => Promise<AnyCore>,
    jsonHelp: string,
    work: (given: Given<AnyCore>, ...typed: never[]) => Promise<void>,
  ): this {
    return this.option('--json', jsonHelp).action(async (...typed: unknown[]) => {
      const { output, exit } = this.#context;
      await work({ core: await made(), output: output(this.optsWithGlobals()), exit }, ...(typed as never[]));
    });
  }
}
