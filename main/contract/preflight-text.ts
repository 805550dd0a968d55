import type { Check } from './machine';

const marks: Readonly<Record<Check['status'], string>> = {
  ok: '✓',
  warning: '!',
  problem: '✗',
  'not-applicable': '–',
};

/** Lines for a terminal: mark, title and finding, and below it what to do. */
export function formatChecks(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(({ status, title, finding, remedy }) => [
    `${marks[status]} ${title}: ${finding}`,
    ...(remedy === null ? [] : [`    → ${remedy}`]),
  ]);
}
