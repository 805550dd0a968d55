import { describe, expect, it } from 'vitest';
import { codeOfAnswer } from '../../../../main/cli/search/search';
import type { SearchRow } from '../../../../main/domain/study/search/search-answer';

const winner = { candidate: 2 } as unknown as SearchRow;

describe('the exit code of a search', () => {
  it.each([
    [{ winner, isConfirmed: true, isCutShort: false }, 0],
    [{ winner, isConfirmed: true, isCutShort: true }, 4],
    [{ winner, isConfirmed: false, isCutShort: false }, 4],
    [{ winner, isConfirmed: false, isCutShort: true }, 4],
    [{ winner: null, isConfirmed: false, isCutShort: true }, 3],
  ])('of %j is %i', (answer, code) => {
    expect(codeOfAnswer(answer)).toBe(code);
  });
});
