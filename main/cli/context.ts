import type { Core } from '../core';
import type { Output } from './output';

/** What the verbs share. The core is made when a verb first needs it, so that `--help` is instant. */
export interface CliContext {
  core(): Promise<Core>;
  output(options: { readonly json?: boolean }): Output;
  exit(code: number): void;
}
