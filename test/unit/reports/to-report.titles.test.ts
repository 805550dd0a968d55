import { expect, it } from 'vitest';
import { toReport } from '../../../main/reports/to-report';
import { repositorySpec } from '../../support/repository-source';
import { completeState, createdBodies, stateOf } from '../../support/run-state';

const titleOf = (state: Parameters<typeof toReport>[0]): string =>
  toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' }).title;

it('names model, format and precision, and reads on where a repository is served as it is', () => {
  expect(titleOf(completeState())).toBe('resnet50 · ONNX FP16');
  expect(titleOf(stateOf(createdBodies(repositorySpec())))).toBe('m · Triton repository, as it is');
});
