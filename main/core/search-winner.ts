import type { FoundConfig } from '../bundle/bundle';
import type { Handlers } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { isDeployed } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import type { Candidate } from '../contract/study/search';
import { sameValue, setAt, type Tree } from '../contract/trees';
import { configuredOf } from '../domain/study/search/candidates';
import { searchAnswer } from '../domain/study/search/search-answer';
import { modelOf } from '../domain/study/search/search-models';
import { searchOf, winnerChanges } from '../domain/study/search/search-study';
import type { Runs } from '../pipeline/runs';
import { StudyStore } from '../studies/study-store';
import { formatConfigPbtxt } from '../triton/config-pbtxt';
import { configsOf } from './contests';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';

function requireSameModel(name: string, spec: RunSpec, candidate: Candidate): void {
  const { format, precision, backendAccelerator } = { ...modelOf(spec), ...candidate };
  if (sameValue({ format, precision, backendAccelerator }, modelOf(spec))) return;
  const remedy = 'Run it first: the run then has that model, verified, and can be deployed.';
  throw invalidInput(name, 'The best configuration is of another format or precision than the run', remedy);
}

/** What becomes of the best configuration of a search. */
export function createWinnerCalls(
  { layout, store }: Pick<CoreParts, 'layout' | 'store'>,
  runs: Pick<Runs, 'execute'>,
  changedSpec: TrustedCalls['runs.changedSpec'],
): {
  /** Throws study-unknown, and input-invalid for another run and where there is no best configuration of its model. */
  readonly foundConfig: (name: string, runId: string) => Promise<FoundConfig>;
  readonly handlers: Pick<Handlers, 'searches.configs' | 'searches.run'>;
} {
  const studies = new StudyStore(layout.studies);
  const requireSearch = async (name: string) => {
    const study = await studies.load(name);
    const search = study === null ? null : searchOf(study);
    if (study !== null && search !== null) return { study, search };
    throw new WorkbenchError('study-unknown', `Unknown search "${name}"`);
  };
  /** null: no candidate holds the target so far. */
  const configsOfWinner = async (name: string) => {
    const { study, search } = await requireSearch(name);
    const { winner, sentence } = searchAnswer(search, study.searched);
    const [present, own] = [search.candidates[0], search.candidates[(winner?.candidate ?? 0) - 1]];
    if (present === undefined || own === undefined) return null;
    const run = await store.load(search.runId);
    const { state, folder } = run;
    if (!isDeployed(state)) throw invalidInput(search.runId, 'The run deployed no model');
    const { spec } = state.source;
    requireSameModel(name, spec, own);
    const configBy = await configsOf({ spec, folder });
    const served = (candidate: Candidate) => configBy(configuredOf(candidate))(spec.configure.modelName);
    return { runId: search.runId, sentence, winner: served(own), present: served(present) };
  };
  return {
    foundConfig: async (name, runId) => {
      const found = await configsOfWinner(name);
      if (found === null) throw invalidInput(name, 'The search has no best configuration');
      if (found.runId !== runId) throw invalidInput(name, `The search is of the run ${found.runId}`);
      return { name, config: found.winner, sentence: found.sentence };
    },
    handlers: {
      'searches.configs': async ({ name }) => {
        const found = await configsOfWinner(name);
        if (found === null) return null;
        const { winner, present } = found;
        return { winner: formatConfigPbtxt(winner), present: formatConfigPbtxt(present) };
      },
      'searches.run': async ({ name }) => {
        const { study, search } = await requireSearch(name);
        const changes = winnerChanges(study, search);
        if (changes.length === 0) {
          throw new WorkbenchError('input-invalid', 'The present configuration is the best', { where: name });
        }
        const { runId } = search;
        const overrides = changes.reduce<Tree>(
          (tree, [path, value]) => setAt(tree, path.split('.'), value),
          {},
        );
        await runs.execute(runId, { spec: await changedSpec({ runId, overrides }) });
        return { runId };
      },
    },
  };
}
