import type { SpecProblem } from '../../contract/run/spec-tools';

/** A finding with the code that it is refused with where it is not shown but thrown. */
export interface RuleFinding extends SpecProblem {
  readonly code: 'spec-invalid' | 'combination-unsupported';
}

export const problem = (field: string, message: string, remedy: string | null): RuleFinding => ({
  ...{ field, severity: 'problem', message, remedy, code: 'spec-invalid' },
});

export const notAbsolute = (field: string, path: string): RuleFinding =>
  problem(field, `"${path}" is not an absolute path`, 'Use an absolute path, starting with "/".');

/** Of values that are right each, and do not go together. */
export const unsupported = (field: string, message: string, remedy: string): RuleFinding => ({
  ...problem(field, message, remedy),
  code: 'combination-unsupported',
});

/** Says where something comes from; stands against nothing. */
export const note = (field: string, message: string, remedy: string | null): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'note',
});

export const warning = (field: string, message: string, remedy: string): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'warning',
});

/** What a rule finds: nothing, one thing or several. */
export type Found = RuleFinding | readonly RuleFinding[] | false | null;

export const allOf = (...found: readonly Found[]): RuleFinding[] =>
  found.flat().filter((one) => one !== false && one !== null);
