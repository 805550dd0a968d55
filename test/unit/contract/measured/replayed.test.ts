import { expect, it } from 'vitest';
import { replayedText } from '../../../../main/contract/measured/replayed';

it('a replayed trace is said in one line', () => {
  const replay = {
    requests: 12_000,
    seconds: 600,
    peakRate: 143,
    speed: 1,
    fromS: 0,
    meanBatchSize: 1,
    largestBatchSize: 1,
  };
  expect(replayedText({})).toBeNull();
  expect(replayedText({ replay })).toBe(
    'replayed 12,000 requests of 10 min 00 s, mean 20.00 requests/s, peak 143 in 1 s',
  );
  const part = { ...replay, speed: 2, fromS: 60, toS: 90, meanBatchSize: 2.5, largestBatchSize: 8 };
  expect(replayedText({ replay: part })).toMatch(
    /, 2 times as fast as recorded, from 60 s to 90 s, 2\.50 items per request on average, up to 8$/,
  );
});
