import { totalmem } from 'node:os';
import { invalidInput } from '../../contract/errors';
import { servesHere } from '../../contract/run/engine-kinds';
import { isDeployed } from '../../contract/run/run-source';
import type { DeployedRun } from '../../contract/run/run-state';
import type { SearchCapacity } from '../../contract/study/study';
import { candidateState } from '../../domain/study/search/candidate-state';
import { candidateText } from '../../domain/study/search/candidates';
import type { SoughtModel } from '../../domain/study/sought';
import type { CoreParts } from '../core-parts';
import { requireSought } from './require-sought';

/**
 * A candidate of a search as a run that a capacity is planned with; the best, else the present one, where none is named.
 * @param model of a search of several, or `runId`: the one that is planned. Throws as {@link requireSought}, and run-unknown.
 */
export async function searchCapacity(
  parts: Pick<CoreParts, 'layout' | 'store'>,
  {
    name,
    candidate: asked,
    ...of
  }: { readonly name: string; readonly candidate?: number | undefined } & SoughtModel,
): Promise<SearchCapacity & { readonly state: DeployedRun }> {
  const { search, searched, winner, beside, runOf: runIdOf } = await requireSought(parts, name, of);
  const candidate = asked ?? winner ?? 1;
  const [present, own] = [search.candidates[0], search.candidates[candidate - 1]];
  if (present === undefined || own === undefined) {
    const message = `The search has no configuration ${candidate}`;
    throw invalidInput('--candidate', message, `Give a number from 1 to ${search.candidates.length}.`);
  }
  const runOf = async (number: number): Promise<DeployedRun> => {
    const own = runIdOf(number);
    if (own === null) throw invalidInput(name, 'The run of this configuration was not created');
    const { state: run } = await parts.store.load(own);
    if (isDeployed(run)) return run;
    throw invalidInput(own, 'The run of the search has no model');
  };
  const { lookMs, fullMs } = search;
  const together =
    beside.length === 0
      ? ''
      : ` Each replica also serves ${beside.join(', ')} under load in the proportion of the search. Only loads that all of them sustained together count.`;
  const note = `Measured by a search, in measurements of ${lookMs / 1000} s and ${fullMs / 1000} s. Longer levels of a run have more reliable percentiles.${together}`;
  const stateOf = async (number: number) => {
    const run = await runOf(number);
    const hostBytes = servesHere(run.source.spec.engine) ? totalmem() : null;
    // Of several models, the loads that all of them held are those that the search states.
    const promised = beside.length === 0;
    return candidateState(run, { name, search, searched, hostBytes, promised }, number);
  };
  return {
    ...{ name, candidate, configuration: candidateText(present, own), note, state: await stateOf(candidate) },
    present: candidate === 1 ? null : await stateOf(1),
  };
}
