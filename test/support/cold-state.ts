import type { ColdStart, WarmUpTrial } from '../../main/contract/measured/cold-start';
import type { RunState } from '../../main/contract/run/run-state';
import { completeState } from './run-state';

/** Slow at the first request of each batch size, with a warm-up that lacks the largest. */
export const coldFixture: ColdStart = {
  key: 'key-cold',
  loads: 'own',
  startUs: 1_600_000,
  loadUs: 480_000,
  readyUs: 2_080_000,
  requests: [
    { batchSize: 1, firstUs: 902_000 },
    { batchSize: 16, firstUs: 912_000 },
  ],
  warmUp: [1],
};

const rounds = (ms: number): number[] => [-2, -1, 0, 0, 1, 2].map((off) => (ms + off) * 1000);

/** Gone at batch size 1, and not reached at 16. */
export const trialFixture: WarmUpTrial = {
  ...{ kind: 'zero', warmUp: [1], rounds: 6 },
  before: {
    loadUs: [480_000],
    requests: [1, 16].map((batchSize) => ({ batchSize, firstUs: rounds(305), nextUs: [5000, 6000, 5000] })),
  },
  after: {
    loadUs: [900_000],
    requests: [
      { batchSize: 1, firstUs: rounds(6), nextUs: [5000, 6000, 5000] },
      { batchSize: 16, firstUs: rounds(305), nextUs: [5000, 6000, 5000] },
    ],
  },
};

/** A complete run whose cold start was recorded and whose warm-up was tried. */
export const coldState = (): RunState => ({
  ...completeState(),
  coldStart: coldFixture,
  warmUpTrial: trialFixture,
});
