import type { PromisedLoad } from '../../../contract/measured/promised-load';
import { formatMs, formatRate } from '../../../contract/numbers';
import type { JointStrategy } from '../../../contract/study/joint';
import type { Look, Searched, SearchStrategy } from '../../../contract/study/search';
import { jointAnswer } from './joint-answer';
import { firstOf, type JointSet, loadsOf, looksAt, partsOf, viewOf, winnerOf } from './joint-sets';

/** One model of a search of several, as a search of its own. */
export interface ModelOfJoint {
  readonly search: SearchStrategy;
  /** Its parts of the looks that the best and the present set held together. */
  readonly searched: Searched;
  /** Number of its configuration in the best set; null: there is none. */
  readonly winner: number | null;
  readonly promised: PromisedLoad | null;
}

/**
 * @param name of the study
 * @param at place of the model
 * @returns null: it has no such model. Pure.
 */
export function modelOfJoint(
  joint: JointStrategy,
  searched: Searched,
  { name, at }: { readonly name: string; readonly at: number },
): ModelOfJoint | null {
  const model = joint.models[at];
  if (model === undefined) return null;
  const { runId, candidates, batchSize, percentile, latencyUs, errorPercentage } = model;
  const { budgetS, lookMs, fullMs } = joint;
  const view = viewOf(joint, searched);
  const winner = winnerOf(joint, view);
  const present = view.sets.find(({ changes }) => changes === 0);
  const first = firstOf(joint, at);
  const own = (set: JointSet): readonly Look[] =>
    loadsOf(joint, view, set)
      .filter(({ held }) => held)
      .flatMap(({ step }) => looksAt(view, searched, set, step))
      .flatMap((look) => partsOf(look)[at] ?? [])
      .map((look) => ({ ...look, candidate: look.candidate - first + 1 }));
  const sets = winner === null || winner === present ? [present] : [winner, present];
  const pick = winner?.picks[at];
  const promised = (): PromisedLoad | null => {
    const { rows, isConfirmed: confirmed } = jointAnswer(joint, searched);
    const inferencesPerSecond = rows[at]?.inferencesPerSecond ?? null;
    if (inferencesPerSecond === null) return null;
    const requestsPerSecond = inferencesPerSecond / batchSize;
    const others = joint.models.filter((other) => other !== model).map(({ title }) => title);
    return {
      search: name,
      text: `${formatRate(requestsPerSecond)} requests/s within p${percentile} ${formatMs(latencyUs)} ms beside ${others.join(', ')} under load`,
      ...{ confirmed, requestsPerSecond, inferencesPerSecond, percentile, latencyUs },
    };
  };
  return {
    search: {
      ...{ kind: 'search', runId, candidates, budgetS, lookMs, fullMs },
      load: { kind: 'open', batchSize },
      target: { percentile, latencyUs, errorPercentage },
    },
    searched: { looks: sets.flatMap((set) => (set === undefined ? [] : own(set))), failed: {} },
    winner: pick === undefined ? null : pick - first + 1,
    promised: promised(),
  };
}
