import type { PromisedLoad } from '../../../contract/measured/promised-load';
import type { Searched, SearchStrategy } from '../../../contract/study/search';
import { searchAnswer } from './search-answer';
import { amountText } from './search-sentence';

/** What the best configuration of a search holds; null: there is none. Pure. */
export function promisedLoad(name: string, search: SearchStrategy, searched: Searched): PromisedLoad | null {
  const { winner, isConfirmed: confirmed } = searchAnswer(search, searched);
  if (winner === null) return null;
  const { percentile, latencyUs } = search.target;
  return {
    ...{ search: name, text: amountText(search, winner), confirmed, percentile, latencyUs },
    requestsPerSecond: search.load.kind === 'open' ? winner.load : null,
    inferencesPerSecond: winner.inferencesPerSecond,
  };
}
