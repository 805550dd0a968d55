import { expect, it } from 'vitest';
import { createPreparingProgress } from '../../../../main/cli/studies/preparing-progress';
import type { CoreEvent } from '../../../../main/contract/api';
import type { StudyBody } from '../../../../main/contract/study/study';

const spec = {
  name: 'night',
  hosts: null,
  strategy: {
    kind: 'search',
    trials: [
      { choice: { preset: 'resnet50', overrides: {} }, axes: [], refusal: null },
      {
        choice: { preset: 'resnet50', overrides: {} },
        axes: [
          { field: 'format', value: 'ts-script' },
          { field: 'precision', value: 'fp16' },
          { field: 'configure.backendAccelerator', value: 'none' },
        ],
        refusal: null,
      },
    ],
  },
};
const at = { seq: 1, at: '2026-01-01T00:00:00.000Z' };
const study = (body: StudyBody): CoreEvent => ({ type: 'study', name: 'night', entry: { ...at, ...body } });
const key = 'key';

it('says which model is made, and which of its steps are done', () => {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const onEvent = createPreparingProgress({ say, live: false, json: false } as never, spec);
  const step = (runId: string, durationUs: number): CoreEvent => ({
    ...{ type: 'journal', runId },
    entry: {
      ...{ ...at, type: 'step-finished', step: 'export', key, durationUs, warnings: [] },
      facts: [{ name: 'Opset', value: '17' }],
    },
  });
  for (const number of [1, 2]) {
    onEvent(study({ type: 'trial-begun', number, turn: number, of: 2, host: null }));
    onEvent(study({ type: 'trial-run', number, runId: `run-${number}`, job: null }));
  }
  onEvent(step('run-2', 1_500_000));
  // Taken from the cache, and of another run.
  onEvent(step('run-1', 0));
  onEvent(step('run-3', 1_500_000));
  const reused = { ...at, type: 'step-skipped', step: 'convert', key, reason: 'cached' } as const;
  onEvent({ type: 'journal', runId: 'run-1', entry: reused });
  const paused = { ...at, type: 'run-finished', outcome: 'paused' } as const;
  onEvent({ type: 'journal', runId: 'run-1', entry: paused });
  expect(lines).toEqual([
    'Preparing 1 of 2: resnet50',
    '  Run run-1',
    'Preparing 2 of 2: TorchScript (scripted) FP16',
    '  Run run-2',
    '✓ Export model (1.5 s)',
    '- Convert model: reused',
  ]);
});
