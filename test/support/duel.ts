import type { DuelLevel, DuelStrategy } from '../../main/contract/study/duel';

export const runA = '20261128-120000-resnet50-onnx-fp32-aaaaaa';
export const runB = '20261128-130000-resnet50-onnx-fp32-bbbbbb';

/** Two runs in turns at one level. */
export const duelFixture = (
  change: Partial<DuelStrategy> = {},
  level: DuelLevel = { batchSize: 1, concurrency: 8 },
): DuelStrategy => ({
  kind: 'duel',
  sides: [
    { runId: runA, title: 'accepted', level },
    { runId: runB, title: 'build', level },
  ],
  ...{ criteria: [], errorPercentage: 1, budgetS: 180, lookMs: 900 },
  ...change,
});
