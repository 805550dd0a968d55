import type { SpecProblem } from '../../contract/run/spec-tools';

/** A finding, with the code of the error it becomes when thrown. */
export interface RuleFinding extends SpecProblem {
  readonly code: 'spec-invalid' | 'combination-unsupported';
}

export const problem = (field: string, message: string, remedy: string | null): RuleFinding => ({
  field,
  severity: 'problem',
  message,
  remedy,
  code: 'spec-invalid',
});

export const notAbsolute = (field: string, path: string): RuleFinding =>
  problem(field, `"${path}" is not an absolute path`, 'Use an absolute path, starting with "/".');

/** Values that are valid each, but not together. */
export const unsupported = (field: string, message: string, remedy: string): RuleFinding => ({
  ...problem(field, message, remedy),
  code: 'combination-unsupported',
});

/** Informs of a value's origin. */
export const note = (field: string, message: string, remedy: string | null): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'note',
});

export const warning = (field: string, message: string, remedy: string): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'warning',
});

export type Found = RuleFinding | readonly RuleFinding[] | false | null;

export const allOf = (...found: readonly Found[]): RuleFinding[] =>
  found.flat().filter((one) => one !== false && one !== null);
