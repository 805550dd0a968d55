import type { Check } from '../contract/machine';

/** A check without its name. */
export type Outcome = Omit<Check, 'id' | 'title'>;

export const ok = (finding: string): Outcome => ({ status: 'ok', finding, remedy: null });

/** There is nothing to check, or nothing to check it by. */
export const notApplicable = (finding: string): Outcome => ({
  status: 'not-applicable',
  finding,
  remedy: null,
});

export const warning = (finding: string, remedy: string): Outcome => ({ status: 'warning', finding, remedy });

export const problem = (finding: string, remedy: string): Outcome => ({ status: 'problem', finding, remedy });
