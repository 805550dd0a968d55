import { expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { answerOf } from '../../../../main/domain/measured/answer';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

const answered = (flags: LoadPoint['flags']) =>
  answerOf(stateOf([...createdBodies(), measurementBody('online', pointFixture({ flags }))]));

it('is sure only of a level that has no mark, and has that mark in lists', () => {
  expect(answered([])).toMatchObject({ isSure: true, mark: null });
  for (const [flag, mark] of [
    ['machine-busy', 'machine busy'],
    ['client-saturated', 'client-limited'],
  ] as const) {
    const answer = answered([flag]);
    expect(answer).toMatchObject({ isSure: false, mark });
    // It is in the sentence already.
    expect(answer?.text).toContain(`; ${mark})`);
    expect(answer?.doubts).toEqual([]);
  }
});
