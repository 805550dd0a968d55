import type { DuelLevel, DuelStrategy } from '../../../contract/study/duel';
import type { Look, Searched } from '../../../contract/study/search';
import type { DueLook } from '../search/next-looks';
import { judgedOf } from './judge-duel';

/**
 * A machine that drifts does so for both, and the noise that two neighboring pairs share adds to their difference as often as
 * it takes from it.
 */
const order = [1, 2, 2, 1, 2, 1, 1, 2] as const;

/** Which side look number `look`, from 0, is at. */
export const inTurnOrder = (look: number): 1 | 2 => order[look % order.length] ?? 1;

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

/** What is measured in turns, and how long. */
export interface Turns extends Pick<DuelStrategy, 'lookMs' | 'budgetS' | 'errorPercentage'> {
  /** Of each side. */
  readonly levels: readonly [DuelLevel, DuelLevel];
}

/** The side with more failed requests than are permitted, whose figures mean nothing; null: none. */
export function faultySide(
  { errorPercentage }: Pick<Turns, 'errorPercentage'>,
  { looks }: Searched,
): 1 | 2 | null {
  const failed = (side: number): number => {
    const own = looks.filter(({ candidate }) => candidate === side);
    const errors = own.reduce((sum, { errorCount }) => sum + errorCount, 0);
    const requests = own.reduce((sum, { requestCount }) => sum + requestCount, 0);
    return own.length === 0 ? 0 : (100 * errors) / Math.max(1, requests + errors);
  };
  return ([1, 2] as const).find((side) => failed(side) > errorPercentage) ?? null;
}

/**
 * The next look; none: all is told, the budget is used, or a side cannot be measured. Pure.
 * @param isTold by the pairs so far, of which there is one at least
 */
export function nextTurn(
  turns: Turns,
  searched: Searched,
  isTold: (pairs: readonly DuelPair[]) => boolean,
): readonly DueLook[] {
  const { looks, failed } = searched;
  const isPaired = looks.length % 2 === 0;
  const candidate = inTurnOrder(looks.length);
  const seconds = ((isPaired ? 2 : 1) * turns.lookMs) / 1000;
  if (Object.keys(failed).length > 0) return [];
  if (secondsOf(searched) + seconds > turns.budgetS) return [];
  if (isPaired && looks.length > 0) {
    if (faultySide(turns, searched) !== null) return [];
    if (isTold(pairsOf(searched))) return [];
  }
  const level = turns.levels[candidate - 1] ?? turns.levels[0];
  const load =
    'concurrency' in level ? { concurrency: level.concurrency } : { requestRate: level.requestRate };
  return [{ candidate, phase: 'turn', load, ms: turns.lookMs }];
}

/** The next look; none: each question is answered, the budget is used, or a side cannot be measured. Pure. */
export function nextDuelLooks(duel: DuelStrategy, searched: Searched): readonly DueLook[] {
  const [first, second] = duel.sides;
  return nextTurn({ ...duel, levels: [first.level, second.level] }, searched, (pairs) =>
    judgedOf(duel, pairs).every(({ outcome }) => outcome !== 'unclear'),
  );
}
