import type { SpecProblem } from '../contract/run/spec-tools';

/** A finding with the code that it is refused with where it is not shown but thrown. */
export interface RuleFinding extends SpecProblem {
  readonly code: 'spec-invalid' | 'combination-unsupported';
}

export const problem = (
  field: string,
  message: string,
  remedy: string | null,
  code: RuleFinding['code'] = 'spec-invalid',
): RuleFinding => ({ field, severity: 'problem', message, remedy, code });

/** Says where something comes from; stands against nothing. */
export const note = (field: string, message: string, remedy: string | null): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'note',
});

export const warning = (field: string, message: string, remedy: string | null): RuleFinding => ({
  ...problem(field, message, remedy),
  severity: 'warning',
});
