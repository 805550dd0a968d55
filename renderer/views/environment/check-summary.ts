import type { Check } from '../../../main/contract/machine';

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** "2 problems, 1 warning", or that none was found. */
export function checkSummary(checks: readonly Check[]): string {
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  const problems = count('problem');
  const warnings = count('warning');
  const parts = [
    ...(problems === 0 ? [] : [counted(problems, 'problem')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ];
  return parts.length === 0 ? 'No problems found' : parts.join(', ');
}
