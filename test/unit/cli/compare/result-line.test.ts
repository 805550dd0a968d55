import { expect, it } from 'vitest';
import { resultLine } from '../../../../main/cli/compare/result-line';
import {
  type JudgedLevel,
  type Outcome,
  parseCriterion,
} from '../../../../main/domain/measured/comparison-gate';

const judged = (...outcomes: readonly Outcome[]): JudgedLevel[] =>
  outcomes.map((outcome, index) => ({
    ...{ criterion: parseCriterion('p99>1.1x'), sweep: 'concurrency', level: index + 1, batchSize: 1 },
    ...{
      ratio: 1,
      interval: 0.1,
      steady: true,
      outcome,
      unclear: outcome === 'unclear' ? 'noise-larger' : null,
    },
  }));

it.each<readonly [readonly Outcome[], string]>([
  [
    ['within', 'outside', 'unclear', 'unclear'],
    'failed (exit code 3): of 4 checks, 1 is outside, 2 cannot be judged.',
  ],
  [['outside', 'outside'], 'failed (exit code 3): of 2 checks, 2 are outside.'],
  [['unclear', 'within'], 'undecided (exit code 4): of 2 checks, 1 cannot be judged.'],
  [['within'], 'passed (exit code 0): of 1 check, all are within.'],
  [[], 'undecided (exit code 4): the runs have no level in common.'],
])('of %j', (outcomes, text) => {
  expect(resultLine(judged(...outcomes))).toBe(`Result: ${text}`);
});
