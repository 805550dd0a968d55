import { expect, it } from 'vitest';
import { requireFittingShapes, requireShapedInputs } from '../../../../main/perf/generate-input';
import { weightedLevel } from '../../../../main/pipeline/measure/server-models';

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

it.each([
  [[1, 3, 8], true, 'image: [1, 3, 8] does not fit [3, -1]', 'Leave the batch dimension out: [3, 8].'],
  [[4, 8], true, 'image: [4, 8] does not fit [3, -1]', 'for example [3, 16].'],
  [[3], false, 'image: [3] does not fit [-1, 3, -1]', 'for example [16, 3, 16].'],
])(
  'a shape %j that the model does not take is refused with one that it takes',
  (shape, batched, words, remedy) => {
    const inputs = [{ name: 'image', datatype: 'FP32', shape: [-1, 3, -1] }];
    expect(() => requireFittingShapes({ image: shape }, inputs, batched)).toThrow(
      expect.objectContaining({
        code: 'input-invalid',
        where: 'model.shapes.image',
        message: expect.stringContaining(words) as string,
        remedy: expect.stringContaining(remedy) as string,
      }),
    );
    expect(() => requireFittingShapes({ image: [3, 9] }, inputs, true)).not.toThrow();
  },
);
