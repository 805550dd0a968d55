import { invalidInput } from '../contract/errors';
import { matrix } from './strategies/matrix';
import type { StrategyOf } from './strategy';

/** One strategy a file, one row here. */
const strategies: Readonly<Record<string, StrategyOf>> = {
  matrix,
  // Its candidates are measured side by side, and are no runs.
  search: () => ({ propose: () => [] }),
  joint: () => ({ propose: () => [] }),
  duel: () => ({ propose: () => [] }),
  // Time under load, which is not a run.
  soak: () => ({ propose: () => [] }),
  // The same files twice, of a run that is there.
  upgrade: () => ({ propose: () => [] }),
};

/** Throws input-invalid for a kind that there is not, and for what the strategy does not take. */
export const strategyOf: StrategyOf = (asked) => {
  const { kind } = asked;
  const create = Object.hasOwn(strategies, kind) ? strategies[kind] : undefined;
  if (create !== undefined) return create(asked);
  throw invalidInput(
    'strategy.kind',
    `Unknown strategy "${kind}"`,
    `The strategies are: ${Object.keys(strategies).join(', ')}.`,
  );
};
