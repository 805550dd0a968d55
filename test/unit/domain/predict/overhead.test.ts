import { describe, expect, it } from 'vitest';
import { fitOverhead, type Overhead } from '../../../../main/domain/predict/overhead';

const seen = [
  { overheadUs: 500, answersAtOnce: 1, rowsAtOnce: 1, requestsPerSecond: 300 },
  { overheadUs: 2000, answersAtOnce: 8, rowsAtOnce: 8, requestsPerSecond: 1000 },
];

describe('the fitted overhead', () => {
  it('is the split with the least miss', () => {
    const missOf = ({ perAnswerUs }: Overhead) => Math.abs(Math.log(perAnswerUs / 300));
    const { perAnswerUs, fixedUs } = fitOverhead(seen, missOf);
    expect(perAnswerUs / 300).toBeGreaterThan(0.75);
    expect(perAnswerUs / 300).toBeLessThan(1.33);
    // The rest of what was seen without others.
    expect(fixedUs).toBeCloseTo(500 - perAnswerUs);
  });

  it('passes on at least as many answers as were measured', () => {
    const { perAnswerUs } = fitOverhead(seen, (overhead) => -overhead.perAnswerUs);
    expect(perAnswerUs).toBeCloseTo(1000);
  });

  it('is all fixed where no split is better', () => {
    expect(fitOverhead(seen, () => 0)).toEqual({ fixedUs: 500, perAnswerUs: 0 });
    expect(() => fitOverhead([], () => 0)).toThrow(RangeError);
  });
});
