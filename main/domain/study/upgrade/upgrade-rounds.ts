import type { Searched } from '../../../contract/study/search';
import type { Upgraded, UpgradeNumber, UpgradeStrategy } from '../../../contract/study/upgrade';
import type { Criterion } from '../../measured/comparison-gate';
import { type DuelPair, inTurnOrder, nextTurn } from '../duel/duel-rounds';
import { criterionOf, differenceOf, judgedAll, type JudgedQuestion } from '../duel/judge-duel';
import type { DueLook } from '../search/next-looks';

export interface JudgedUpgrade {
  readonly criteria: readonly JudgedQuestion[];
  /** How they differ, whatever is permitted. */
  readonly differences: readonly JudgedQuestion[];
}

/** Requests at a rate are answered at that rate. */
const metricsOf = ({ level }: Pick<UpgradeStrategy, 'level'>): readonly Criterion['metric'][] =>
  'requestRate' in level ? ['p99'] : ['throughput', 'p99'];

/** Pure. */
export const judgeUpgrade = (upgrade: UpgradeStrategy, pairs: readonly DuelPair[]): JudgedUpgrade => ({
  criteria: judgedAll(upgrade.criteria.map(criterionOf), pairs),
  differences: judgedAll(metricsOf(upgrade).map(differenceOf), pairs),
});

/** What is too much worse ends it; else the differences are told, too, as far as the budget reaches. */
function isTold(upgrade: UpgradeStrategy, pairs: readonly DuelPair[]): boolean {
  const { criteria, differences } = judgeUpgrade(upgrade, pairs);
  if (criteria.some(({ outcome }) => outcome === 'outside')) return true;
  return [...criteria, ...differences].every(({ outcome }) => outcome !== 'unclear');
}

/** The next look; none: all is told, the budget is used, or a side cannot be measured. Pure. */
export const nextUpgradeLooks = (upgrade: UpgradeStrategy, searched: Searched): readonly DueLook[] =>
  nextTurn({ ...upgrade, levels: [upgrade.level, upgrade.level] }, searched, (pairs) =>
    isTold(upgrade, pairs),
  );

/** The side that is loaded next, in turns; null: each was loaded as often as it should be. Pure. */
export function nextLoad(
  { loads }: Pick<UpgradeStrategy, 'loads'>,
  { loads: known }: Pick<Upgraded, 'loads'>,
): UpgradeNumber | null {
  return known.length >= 2 * loads ? null : inTurnOrder(known.length);
}
