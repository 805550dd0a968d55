import { expect, it } from 'vitest';
import { requireShapedInputs } from '../../../../main/perf/generate-input';
import { weightedLevel } from '../../../../main/perf/sweep/server-models';

it('models have as much more of the concurrency, or of the rate', () => {
  expect(weightedLevel({ batchSize: 2, concurrency: 3 }, 2)).toEqual({ batchSize: 2, concurrency: 6 });
  expect(weightedLevel({ batchSize: 2, concurrency: 1 }, 0.1).concurrency).toBe(1);
  expect(weightedLevel({ batchSize: 1, concurrency: 128, requestRate: 40 }, 0.5)).toEqual({
    batchSize: 1,
    concurrency: 128,
    requestRate: 20,
  });
});

it('the shape of an input that none of the models has is refused with the names that they have', () => {
  const inputs = [{ name: 'image' }, { name: 'tokens' }];
  expect(() => requireShapedInputs({ image: [3], tokens: [8] }, inputs)).not.toThrow();
  expect(() => requireShapedInputs({ imgae: [3] }, inputs)).toThrow(
    expect.objectContaining({
      ...{ code: 'input-invalid', where: '--shape', message: 'No input is named "imgae"' },
      remedy: 'Did you mean image? The names are: image, tokens.',
    }),
  );
});
