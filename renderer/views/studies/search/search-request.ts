import type { SearchRequest, SearchSpace } from '../../../../main/contract/study/search';
import type { SearchSubject } from '../../../stores/overlay';
import { placeOf, type PlaceText, placeTextOf } from './place-field';
import { replayOf, type ReplayText, replayTextOf } from './replay-field';
import { hasWrongValues, isTriedField, spaceOf, type TriedText, triedTextOf } from './tried-values';

/** What is typed. */
export interface SearchText {
  readonly load: SearchRequest['load'];
  readonly latencyMs: number | string;
  readonly minutes: number | string;
  readonly replay: ReplayText;
  readonly tried: TriedText;
  readonly place: PlaceText;
}

const usualMinutes = 5;

/** The search that it is to be like. */
export const likeOf = (subject: SearchSubject): SearchRequest | null =>
  'runId' in subject ? (subject.like ?? null) : null;

/** What the form begins with. */
export function searchTextOf(subject: SearchSubject): SearchText {
  const { load = 'open', latencyUs, budgetS, replay, space, server, host } = likeOf(subject) ?? {};
  return {
    load,
    latencyMs: latencyUs === undefined ? '' : latencyUs / 1000,
    minutes: budgetS === undefined ? usualMinutes : budgetS / 60,
    replay: replayTextOf(replay),
    tried: triedTextOf(space ?? {}),
    place: placeTextOf({ server, host }),
  };
}

/** Of a search to be like: what its form has no field for. */
function beside(like: SearchRequest, load: SearchRequest['load']): Partial<SearchRequest> {
  const { part, batchSize, percentile, objective, rate, memory, errorPercentage, concurrency } = like;
  return {
    ...{ part, batchSize, percentile, memory, errorPercentage },
    ...(load === 'open' ? { objective, rate } : { concurrency }),
  };
}

const besideFields = (space: SearchSpace): SearchSpace =>
  Object.fromEntries(Object.entries(space).filter(([field]) => !isTriedField(field)));

/** null: something has to be typed to its end first. */
export function searchRequestOf(text: SearchText, subject: SearchSubject): SearchRequest | null {
  const { load, latencyMs, minutes, replay, tried, place } = text;
  const server = placeOf(place);
  const like = likeOf(subject);
  if (server === null || hasWrongValues(tried)) return null;
  return {
    ...('runId' in subject ? { runId: subject.runId } : subject),
    ...(like === null ? {} : beside(like, load)),
    space: { ...(like === null ? {} : besideFields(like.space)), ...spaceOf(tried) },
    load,
    ...(typeof latencyMs === 'number' && latencyMs > 0 ? { latencyUs: Math.round(latencyMs * 1000) } : {}),
    ...(typeof minutes === 'number' && minutes > 0 ? { budgetS: minutes * 60 } : {}),
    ...(load === 'open' ? replayOf(replay) : {}),
    ...server,
  };
}
