import type { RunState } from '../../contract/run/run-state';
import { coldStartOf } from '../../domain/measured/cold/cold-start';
import { trialOf } from '../../domain/measured/cold/warm-up-trial';

/** The document of `cold-start --json`; null: not recorded, or not tried. */
export const coldStartDocument = (state: RunState) => ({
  kind: 'triton-workbench-cold-start' as const,
  version: 1 as const,
  runId: state.runId,
  coldStart: state.coldStart,
  text: coldStartOf(state)?.lines ?? [],
  warmUpTrial: state.warmUpTrial,
  trialText: trialOf(state)?.lines ?? [],
});
