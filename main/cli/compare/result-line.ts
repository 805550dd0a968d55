import { type JudgedLevel, type Outcome, outcomeOfAll } from '../../domain/measured/comparison-gate';
import { exitOfOutcome } from './duel';

const words: Readonly<Record<Outcome, string>> = {
  within: 'passed',
  outside: 'failed',
  unclear: 'undecided',
};

/** What the criteria came to at all common levels, with the exit code, as the last line. */
export function resultLine(judged: readonly JudgedLevel[]): string {
  const result = outcomeOfAll(judged);
  const count = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome).length;
  const [outside, unclear] = [count('outside'), count('unclear')];
  const parts = [
    ...(outside === 0 ? [] : [`${outside} ${outside === 1 ? 'is' : 'are'} outside`]),
    ...(unclear === 0 ? [] : [`${unclear} cannot be judged`]),
    ...(outside + unclear === 0 ? ['all are within'] : []),
  ];
  const checks = `${judged.length} ${judged.length === 1 ? 'check' : 'checks'}`;
  const why = judged.length === 0 ? 'the runs have no level in common' : `of ${checks}, ${parts.join(', ')}`;
  return `Result: ${words[result]} (exit code ${exitOfOutcome[result]}): ${why}.`;
}
