import type { Check } from '../../../main/contract/machine';
import type { ComponentStatus } from '../../../main/contract/setup';
import type { Tone } from '../../components/status-text';

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

/** "1 problem, 3 tools outdated (Docker Engine)", or that nothing was found. Pure. */
export function checkSummary(
  checks: readonly Check[],
  tools: readonly ComponentStatus[] = [],
): { readonly text: string; readonly tone: Tone } {
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  const having = (state: ComponentStatus['state']) => tools.filter((tool) => tool.state === state).length;
  const parts = [
    { found: count('problem'), text: counted(count('problem'), 'problem') },
    { found: count('warning'), text: counted(count('warning'), 'warning') },
    { found: having('broken'), text: `${counted(having('broken'), 'tool')} incomplete` },
    { found: having('outdated'), text: `${counted(having('outdated'), 'tool')} outdated` },
  ].filter(({ found }) => found > 0);
  if (parts.length === 0) return { text: 'No problems found', tone: 'good' };
  const isBad = count('problem') > 0 || having('broken') > 0;
  const titles = checks
    .filter(({ status }) => status === 'problem' || status === 'warning')
    .map(({ title }) => title);
  const which = titles.length === 0 ? '' : ` (${titles.join(', ')})`;
  return { text: `${parts.map(({ text }) => text).join(', ')}${which}`, tone: isBad ? 'bad' : 'warn' };
}
