import { expect, it } from 'vitest';
import type { ErrorCode } from '../../../../../main/contract/errors';
import type { StepId } from '../../../../../main/contract/run/run-events';
import type { RunState, StepState } from '../../../../../main/contract/run/run-state';
import { pageOfProblem } from '../../../../../renderer/stores/draft/wizard-page';

const stopped = (code: ErrorCode, id: StepId, where?: string): Pick<RunState, 'error' | 'steps'> => ({
  error: { code, message: '', where },
  steps: [{ id, status: 'failed' } as StepState],
});

it.each([
  ['accuracy-below-threshold', 'accuracy', undefined, 'accuracy'],
  ['verification-failed', 'convert', undefined, 'accuracy'],
  ['toolkit-failed', 'export', undefined, 'export'],
  ['toolkit-failed', 'prepare-data', undefined, 'model'],
  ['model-load-failed', 'deploy', 'a.log', 'configure'],
  ['input-invalid', 'offline', 'model.dataset', 'model'],
  ['measurement-failed', 'online', undefined, 'performance'],
  ['report-failed', 'report', undefined, 'performance'],
] as const)('a run that ended with %s in step %s at %s is changed on page %s', (code, step, where, page) => {
  expect(pageOfProblem(stopped(code, step, where))).toBe(page);
});

it('one that nothing stopped is changed where it is measured', () => {
  expect(pageOfProblem({ error: null, steps: [] })).toBe('performance');
});
