import type { Core } from '../core';
import type { Output } from './output';

/** Of a verb that can print its result as a document. */
export interface JsonOption {
  readonly json?: boolean;
}
export const jsonHelp = 'print one JSON document to stdout';

/** What the verbs share. The core is made when a verb first needs it, so that `--help` is instant. */
export interface CliContext {
  core(): Promise<Core>;
  output(options: { readonly json?: boolean }): Output;
  exit(code: number): void;
}
