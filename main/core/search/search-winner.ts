import type { FoundConfig } from '../../bundle/bundle';
import type { Handlers } from '../../contract/api';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { isDeployed } from '../../contract/run/run-source';
import type { Candidate } from '../../contract/study/search';
import { setAt, type Tree } from '../../contract/trees';
import { configuredOf } from '../../domain/study/search/candidates';
import { changesBetween } from '../../domain/study/search/search-study';
import type { SoughtModel } from '../../domain/study/sought';
import type { Runs } from '../../pipeline/runs';
import { formatConfigPbtxt } from '../../triton/config-pbtxt';
import type { TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { configsOf } from './contests';
import { requireSought } from './require-sought';

/** What becomes of the best configuration of a search. */
export function createWinnerCalls(
  parts: Pick<CoreParts, 'layout' | 'store'>,
  runs: Pick<Runs, 'execute'>,
  changedSpec: TrustedCalls['runs.changedSpec'],
): {
  /** Throws study-unknown, and input-invalid for another run and where there is no best configuration of its model. */
  readonly foundConfig: (name: string, runId: string) => Promise<FoundConfig>;
  readonly handlers: Pick<Handlers, 'searches.configs' | 'searches.run'>;
} {
  /** null: no candidate holds the target so far. */
  const configsOfWinner = async (name: string, of?: SoughtModel) => {
    const { search, winner, sentence, promised, runOf } = await requireSought(parts, name, of);
    const [present, own] = [search.candidates[0], search.candidates[(winner ?? 0) - 1]];
    if (present === undefined || own === undefined) return null;
    const served = async (candidate: Candidate, number: number) => {
      const runId = runOf(number);
      if (runId === null) throw invalidInput(name, 'The run whose model it is was not made');
      const { state, folder } = await parts.store.load(runId);
      if (!isDeployed(state)) throw invalidInput(runId, 'The run deployed no model');
      const { spec } = state.source;
      const configBy = await configsOf({ spec, folder });
      return { runId, config: configBy(configuredOf(candidate))(spec.configure.modelName) };
    };
    const { runId, config } = await served(own, winner ?? 1);
    return { runId, sentence, promised, winner: config, present: (await served(present, 1)).config };
  };
  return {
    foundConfig: async (name, runId) => {
      const found = await configsOfWinner(name, { runId });
      if (found === null || found.promised === null)
        throw invalidInput(name, 'The search has no best configuration');
      if (found.runId !== runId)
        throw invalidInput(name, `The best configuration is one of the run ${found.runId}`);
      return { name, config: found.winner, sentence: found.sentence, promised: found.promised };
    },
    handlers: {
      'searches.configs': async ({ name, model }) => {
        const found = await configsOfWinner(name, { model });
        if (found === null) return null;
        const { winner, present, runId } = found;
        return { runId, winner: formatConfigPbtxt(winner), present: formatConfigPbtxt(present) };
      },
      'searches.run': async ({ name, model }) => {
        const { search, winner } = await requireSought(parts, name, { model });
        const { runId, candidates } = search;
        const [present, own] = [candidates[0], candidates[(winner ?? 0) - 1]];
        const changes = present === undefined || own === undefined ? [] : changesBetween(present, own);
        if (changes.length === 0 || runId === null) {
          throw new WorkbenchError('input-invalid', 'The present configuration is the best', { where: name });
        }
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
