import { expect, it } from 'vitest';
import { modelOf } from '../../../../../main/domain/study/search/search-models';
import { specFixture } from '../../../../support/run-state';

it('reads from a specification what its run makes', () => {
  expect(modelOf(specFixture())).toEqual({ format: 'onnx', precision: 'fp16', backendAccelerator: 'none' });
});
