import type { DuelStrategy } from '../../../contract/study/duel';
import type { Look, Searched } from '../../../contract/study/search';
import type { DueLook } from '../search/next-looks';
import { judgedOf } from './judge-duel';

/**
 * A machine that drifts does so for both, and the noise that two neighboring pairs share adds to their difference as often as
 * it takes from it.
 */
const order = [1, 2, 2, 1, 2, 1, 1, 2] as const;

export const secondsOf = ({ looks }: Searched): number =>
  looks.reduce((sum, { seconds }) => sum + seconds, 0);

/** A look at each side, close in time. */
export interface DuelPair {
  readonly first: Look;
  readonly second: Look;
}

/** Of a pair whose second look is missing nothing is known. */
export function pairsOf({ looks }: Searched): readonly DuelPair[] {
  const pairs: DuelPair[] = [];
  for (let at = 0; at + 1 < looks.length; at += 2) {
    const [one, other] = [looks[at], looks[at + 1]] as readonly [Look, Look];
    pairs.push(one.candidate === 1 ? { first: one, second: other } : { first: other, second: one });
  }
  return pairs;
}

/** The side with more failed requests than are permitted, whose figures mean nothing; null: none. */
export function faultySide({ errorPercentage }: DuelStrategy, { looks }: Searched): 1 | 2 | null {
  const failed = (side: number): number => {
    const own = looks.filter(({ candidate }) => candidate === side);
    const errors = own.reduce((sum, { errorCount }) => sum + errorCount, 0);
    const requests = own.reduce((sum, { requestCount }) => sum + requestCount, 0);
    return own.length === 0 ? 0 : (100 * errors) / Math.max(1, requests + errors);
  };
  return ([1, 2] as const).find((side) => failed(side) > errorPercentage) ?? null;
}

/** The next look; none: each question is answered, the budget is used, or a side cannot be measured. Pure. */
export function nextDuelLooks(duel: DuelStrategy, searched: Searched): readonly DueLook[] {
  const { looks, failed } = searched;
  const isPaired = looks.length % 2 === 0;
  const candidate = order[looks.length % order.length] ?? 1;
  const side = duel.sides[candidate - 1];
  const seconds = ((isPaired ? 2 : 1) * duel.lookMs) / 1000;
  if (side === undefined || Object.keys(failed).length > 0) return [];
  if (secondsOf(searched) + seconds > duel.budgetS) return [];
  if (isPaired && looks.length > 0) {
    if (faultySide(duel, searched) !== null) return [];
    if (judgedOf(duel, pairsOf(searched)).every(({ outcome }) => outcome !== 'unclear')) return [];
  }
  const { level } = side;
  const load =
    'concurrency' in level ? { concurrency: level.concurrency } : { requestRate: level.requestRate };
  return [{ candidate, phase: 'turn', load, ms: duel.lookMs }];
}
