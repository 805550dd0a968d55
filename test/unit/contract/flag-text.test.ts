import { expect, it } from 'vitest';
import { countedMarksOf, isSound, reasonsOf, stateWords } from '../../../main/contract/flag-text';
import { answerOf } from '../../../main/domain/measured/answer';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../support/run-state';

const sayOf = (point: ReturnType<typeof pointFixture>) =>
  answerOf(stateOf([...createdBodies(), measurementBody('online', point)]))?.text;
const checks = (checkedCount: number, wrongCount: number) => ({
  outputChecks: { checkedCount, wrongCount, comparedCount: 0, finite: false },
  flags: ['wrong-responses'] as const,
});

it('a level with a wrong response is no answer, and the share of the checked ones is said', () => {
  const all = pointFixture({ ...checks(9, 9), flags: ['wrong-responses'] });
  expect(isSound(all)).toBe(false);
  expect(sayOf(all)).toContain(
    'No level without wrong responses; best level, all 9 checked responses are wrong: ',
  );
  const some = pointFixture({ ...checks(1200, 1), flags: ['wrong-responses', 'errors'], errorCount: 0 });
  expect(sayOf(some)).toMatch(/^No level without errors; .*1 of 1,200 checked responses is wrong: /);
  expect(reasonsOf(all)).toEqual(['Wrong responses: all 9 checked responses are wrong.']);
});

it('NaN in responses is a doubt that the answer names', () => {
  const notFinite = { checkedCount: 8, count: 3, message: 'Y has NaN or an infinity at value 0' };
  const point = pointFixture({ flags: ['not-finite'], notFinite });
  expect([isSound(point), stateWords(point)]).toEqual([true, 'steady, NaN or infinite values']);
  expect(sayOf(point)).toMatch(
    /^Best steady level: .*; NaN or infinite values\)\. NaN or infinite values in 3 of 8 responses\./,
  );
  expect(countedMarksOf(point)).toEqual(['NaN or infinite values in 3 of 8 responses']);
  expect(reasonsOf(point)).toEqual([
    'NaN or infinite values in 3 of 8 responses: Y has NaN or an infinity at value 0.',
  ]);
});
