import { expect, it } from 'vitest';
import { place } from '../../../main/studies/drive';
import { createdBodies, stateOf } from '../../support/run-state';
import { plannedTrial, studySession } from '../../support/study-session';

it('finds the run that is there for a trial, whenever its strategy proposes it', async () => {
  const state = stateOf([...createdBodies(), { type: 'run-finished', outcome: 'done' }]);
  const { session } = studySession({ store: { load: () => Promise.resolve({ state }) } });
  const runOf = ({ entry }: { readonly entry: string }) => (entry === '7' ? 'r' : undefined);
  const trials = [plannedTrial(7), plannedTrial(8, { spec: null, leftOut: 'no GPU' })];
  const proposal = await place({ ...session, runOf }, trials);
  expect(proposal.trials.map((trial) => trial.state?.status ?? null)).toEqual(['done', null]);
});
