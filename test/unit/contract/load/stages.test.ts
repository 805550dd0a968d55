import { describe, expect, it } from 'vitest';
import {
  firstRateOf,
  requestsIn,
  stagesOf,
  stagesSchema,
  stagesText,
} from '../../../../main/contract/load/stages';

describe('stages', () => {
  it('are rates or multiples of the request rate, even or rising, for a time', () => {
    expect(stagesOf(['100:10s', '2x:500ms', '0-1.5x:1m'], 40)).toEqual([
      { fromRate: 100, toRate: 100, seconds: 10 },
      { fromRate: 80, toRate: 80, seconds: 0.5 },
      { fromRate: 0, toRate: 60, seconds: 60 },
    ]);
  });

  it.each(['100', '100:10', 'x:10s', '-1:10s', '1e3:10s', 'steps', 'step:10', 'step:1m:x', ''])(
    'refuse "%s"',
    (text) => {
      expect(stagesSchema.safeParse([text]).success).toBe(false);
    },
  );

  it.each([
    ['step', 40, 2],
    ['ramp', 60, 2],
    ['spike', 30, 4],
    ['diurnal', 120, 1],
    ['step:8s', 8, 2],
    ['spike:1m:10x', 60, 10],
  ])('of the shape %s last %d s and reach %d times the rate', (text, seconds, peak) => {
    expect(stagesSchema.safeParse([text]).success).toBe(true);
    const stages = stagesOf([text], 50);
    expect(stages.reduce((sum, stage) => sum + stage.seconds, 0)).toBeCloseTo(seconds, 9);
    expect(Math.max(...stages.map(({ toRate }) => toRate))).toBeCloseTo(50 * peak, 9);
  });

  it('have their first rate as the promised one, unless it is a multiple', () => {
    expect(firstRateOf(['120:10s', '300:5s'])).toBe(120);
    expect(['2x:1s', '0-100:1s', 'step'].map((text) => firstRateOf([text]))).toEqual([null, null, null]);
  });

  it('say what they are', () => {
    expect(stagesText(stagesOf(['1x:10s', '0-2x:40s'], 100))).toBe(
      '100.0 requests/s for 10 s, 0 to 200.0 for 40 s',
    );
    expect(stagesText(stagesOf(['diurnal'], 100))).toBe('24 stages of 25.00 to 100.0 requests/s in 120 s');
    expect(requestsIn(stagesOf(['1x:10s', '0-2x:40s'], 100))).toBe(5000);
  });
});
