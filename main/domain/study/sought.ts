import type { PromisedLoad } from '../../contract/measured/promised-load';
import type { JointModel } from '../../contract/study/joint';
import type { Searched, SearchStrategy } from '../../contract/study/search';
import type { Study } from '../../contract/study/study';
import { jointAnswer } from './joint/joint-answer';
import { modelOfJoint } from './joint/joint-model';
import { jointOf } from './joint/joint-study';
import { promisedLoad } from './search/promised-load';
import { searchAnswer } from './search/search-answer';
import { runOfCandidate, searchOf } from './search/search-study';

/** What was searched for one model: a search, or a model of a search of several. */
export interface Sought {
  readonly search: SearchStrategy;
  readonly searched: Searched;
  /** Number of the best configuration; null: there is none. */
  readonly winner: number | null;
  /** The answer of the search, without a full stop. */
  readonly sentence: string;
  readonly promised: PromisedLoad | null;
  /** Titles of the models that are served and loaded beside it; empty: it was searched by itself. */
  readonly beside: readonly string[];
  /** The run whose model a configuration is of; null: none, or it could not be made. */
  readonly runOf: (candidate: number) => string | null;
}

/** A model of a search of several: by its number from 1, its title there, or its run. */
export interface SoughtModel {
  readonly model?: number | string | undefined;
  readonly runId?: string | undefined;
}

/** The place of the model that is meant; null: none is, or several are. */
function placeOf(
  models: readonly Pick<JointModel, 'title' | 'runId'>[],
  { model, runId }: SoughtModel,
): number | null {
  if (typeof model === 'number') return model - 1;
  const isMeant = (one: Pick<JointModel, 'title' | 'runId'>): boolean =>
    model === undefined ? one.runId === (runId ?? '') : one.title === model;
  const at = models.findIndex(isMeant);
  return at < 0 || models.findLastIndex(isMeant) !== at ? null : at;
}

/** @returns null: no search, or a search of several without the model that is meant. Pure. */
export function soughtOf(study: Study, of: SoughtModel): Sought | null {
  const { name, searched } = study;
  const search = searchOf(study);
  if (search !== null) {
    const { winner, sentence } = searchAnswer(search, searched);
    return {
      ...{ search, searched, sentence, winner: winner?.candidate ?? null },
      promised: promisedLoad(name, search, searched),
      beside: [],
      runOf: (candidate) => runOfCandidate(study, search, candidate),
    };
  }
  const joint = jointOf(study);
  if (joint === null) return null;
  const at = placeOf(joint.models, of);
  const model = at === null ? null : modelOfJoint(joint, searched, { name, at });
  if (model === null) return null;
  const { sentence } = jointAnswer(joint, searched);
  const beside = joint.models.flatMap(({ title }, place) => (place === at ? [] : [title]));
  return { ...model, sentence, beside, runOf: () => model.search.runId };
}
