import { formatCount } from './numbers';
import type { OutputComparison } from './results';

/**
 * How much of the tolerance atol + rtol * |reference| the worst value of an output uses, as "35 %"; rounded away from the
 * limit of 100 %, so that what passes reads at most 100 % and what does not reads more. null: an older run, which does not
 * say it, or no value that a share could be of. Pure.
 */
export function allowanceText({ allowanceShare }: Pick<OutputComparison, 'allowanceShare'>): string | null {
  if (allowanceShare === undefined || allowanceShare === null) return null;
  if (allowanceShare === 0) return '0 %';
  if (allowanceShare < 0.01) return '<1 %';
  const percent = Math.ceil(Number((allowanceShare * 100).toFixed(6)));
  return `${formatCount(percent)} %`;
}
