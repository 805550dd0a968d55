import { expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import type { Core } from '../../../../main/core';
import { pastRunOf } from '../../../../main/domain/run/past-runs';
import { said } from '../../../support/cli-program';
import { completeBodies, createdBodies, stateOf } from '../../../support/run-state';

const ended: JournalBody[] = [
  { type: 'step-finished', step: 'report', key: 'k', durationUs: 2e6, facts: [], warnings: [] },
];
const before = pastRunOf(stateOf([...completeBodies(), ...ended]), 'choice');
const state = stateOf([...createdBodies(), { type: 'step-started', step: 'export', attempt: 1, key: 'k' }]);

async function shown(past: readonly unknown[]): Promise<string> {
  const handlers = {
    'runs.ids': () => Promise.resolve([state.runId]),
    'runs.show': () => Promise.resolve({ state, dir: '/run' }),
    'runs.past': () => Promise.resolve(past),
    'presets.differences': () => Promise.resolve([]),
  };
  return (await said({ handlers } as unknown as Core, 'show', state.runId)).text;
}

it('says the time left of the whole run by the earlier runs like it, as its page does', async () => {
  expect(await shown([before])).toMatch(/^ {2}about .* left: .*as 1 earlier run with the same choices took/m);
  expect(await shown([])).not.toMatch(/earlier run/);
});
