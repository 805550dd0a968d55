import type { FoundConfig } from '../../bundle/bundle';
import type { Handlers } from '../../contract/api';
import { invalidInput } from '../../contract/errors';
import { isDeployed } from '../../contract/run/run-source';
import { repositoryOf } from '../../contract/run/run-spec';
import type { Candidate } from '../../contract/study/search';
import { setAt, type Tree } from '../../contract/trees';
import { configuredOf } from '../../domain/study/search/candidates';
import { changesBetween } from '../../domain/study/search/search-study';
import type { SoughtModel } from '../../domain/study/sought';
import type { Runs } from '../../pipeline/runs';
import { formatConfigPbtxt } from '../../triton/config/config-pbtxt';
import type { TrustedCalls } from '../core-interface';
import type { CoreParts } from '../core-parts';
import { configsOf } from './contests';
import { requireSought } from './require-sought';

const remedies = {
  none: 'Search again with more time (--budget) or a higher target.',
  other: 'Name that run.',
  present: 'Nothing needs to change: deploy the run as it is.',
};

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
    const [first, own] = [search.candidates[0], search.candidates[(winner ?? 0) - 1]];
    if (first === undefined || own === undefined) return null;
    const served = async (candidate: Candidate, number: number) => {
      const runId = runOf(number);
      if (runId === null) throw invalidInput(name, 'The run of this configuration was not created');
      const { state, folder } = await parts.store.load(runId);
      if (!isDeployed(state)) throw invalidInput(runId, 'The run deployed no model');
      const { spec } = state.source;
      const unchecked = repositoryOf(spec.model) !== null && state.accuracy === null;
      const { modelName } = spec.configure;
      const { part } = search;
      const { configOf, own } = (await configsOf({ spec, folder, runId }, part))(configuredOf(candidate));
      const config = configOf(modelName);
      if (own === undefined) return { runId, config, text: formatConfigPbtxt(config), own, unchecked };
      // Without a file Triton completes it.
      const text = part === undefined ? own.textOf(modelName) : (own.part?.textOf(part) ?? null);
      const changed = text === null ? undefined : { model: part ?? modelName, text };
      return { runId, config, text: text ?? '', own: changed, unchecked };
    };
    const found = await served(own, winner ?? 1);
    return { sentence, promised, winner: found, presentText: (await served(first, 1)).text };
  };
  return {
    foundConfig: async (name, runId) => {
      const found = await configsOfWinner(name, { runId });
      if (found === null || found.promised === null)
        throw invalidInput(name, 'The search has no best configuration', remedies.none);
      const { winner, sentence, promised } = found;
      if (winner.runId !== runId)
        throw invalidInput(name, `The best configuration belongs to the run ${winner.runId}`, remedies.other);
      return { name, config: winner.config, own: winner.own, sentence, promised };
    },
    handlers: {
      'searches.configs': async ({ name, model }) => {
        const found = await configsOfWinner(name, { model });
        if (found === null) return null;
        const { winner, presentText } = found;
        const { runId, text, unchecked } = winner;
        return { runId, winner: text, present: presentText, ...(unchecked ? { unchecked } : {}) };
      },
      'searches.run': async ({ name, model }) => {
        const { search, winner } = await requireSought(parts, name, { model });
        const { runId, candidates } = search;
        const [present, own] = [candidates[0], candidates[(winner ?? 0) - 1]];
        const changes = present === undefined || own === undefined ? [] : changesBetween(present, own);
        if (search.part !== undefined) {
          const remedy = `Deploy or bundle it (deploy ${runId ?? 'RUN'} --search ${name}), or write the values into the repository and run it.`;
          throw invalidInput(
            name,
            `The best configuration changes ${search.part}, and the fields of a run apply to the ensemble only`,
            remedy,
          );
        }
        if (changes.length === 0 || runId === null) {
          throw invalidInput(name, 'The present configuration is the best', remedies.present);
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
