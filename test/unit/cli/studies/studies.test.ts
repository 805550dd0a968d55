import { expect, it } from 'vitest';
import type { StudySummary } from '../../../../main/contract/study/study';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { environmentFixture, specFixture, stateOf } from '../../../support/run-state';

const spec = specFixture(({ performance }) => {
  performance.batchSizes = [1, 2];
  performance.concurrency = [4];
});
const state = stateOf([
  { type: 'run-created', runId: 'r', spec, specHash: 'h', environment: environmentFixture() },
  { type: 'run-started', attempt: 1, pid: 1 },
  { type: 'step-started', step: 'offline', attempt: 1, key: 'k' },
]);
const summary: StudySummary = {
  ...{ name: 'night', state: 'running', interrupted: false, sentence: '0 of 2 runs complete' },
  ...{ createdAt: '', updatedAt: '', runs: 2, complete: 0, isKept: true },
};
const trial = { axes: [], spec, leftOut: null, error: null };
const core = {
  handlers: {
    'studies.show': () =>
      Promise.resolve({
        summary,
        results: [
          { ...trial, number: 1, state },
          { ...trial, number: 2, state: null },
        ],
      }),
  },
} as unknown as Core;

it('studies show says of each run in progress which level it is at', async () => {
  const { text } = await said(core, 'studies', 'show', 'night');
  expect(text.split('\n')).toContainEqual(expect.stringMatching(/^ {2}Run 1 of 2: level 1 of 3, /));
  expect(text).not.toContain('Run 2 of 2:');
  const { documents } = await said(core, 'studies', 'show', 'night', '--json');
  expect(documents).toMatchObject([{ study: { underWay: [expect.stringContaining('level 1 of 3')] } }]);
});
