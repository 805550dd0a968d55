import type { JointStrategy } from '../../../contract/study/joint';
import type { Searched } from '../../../contract/study/search';
import { largestOf, medianOf } from '../../statistics';
import { rateOf } from '../search/arms';
import { candidateText } from '../search/candidates';
import {
  byNearness,
  candidateIn,
  type JointSet,
  type JointView,
  loadsOf,
  looksAt,
  partsOf,
  type Picks,
  viewOf,
  winnerOf,
} from './joint-sets';

/** "resnet: model instances 4; bert: model instances 1", "present configurations". Pure. */
export function setText(joint: JointStrategy, picks: Picks): string {
  const changed = picks.flatMap((pick) => {
    const { model, present, own } = candidateIn(joint, pick);
    return own === present ? [] : [`${model.title}: ${candidateText(present, own)}`];
  });
  return changed.length === 0 ? 'present configurations' : changed.join('; ');
}

/** A model in the looks at one load of a set. */
export interface JointPart {
  readonly model: string;
  readonly percentile: number;
  /** Median of the looks, microseconds. */
  readonly latencyUs: number;
  readonly limitUs: number;
}

/** A load that a set was measured at. */
export interface JointLoad {
  /** Of the given rates, or inferences/s of a mix. */
  readonly factor: number;
  /** All models were within their targets. */
  readonly held: boolean;
  /** In the order of the models. */
  readonly parts: readonly JointPart[];
  /** The largest latency of a model, of its limit. */
  readonly share: number;
}

/** A set of configurations that was measured. */
export interface JointTry {
  /** In the order in which they were tried, from 1. */
  readonly number: number;
  readonly text: string;
  readonly isBest: boolean;
  readonly isPresent: boolean;
  /** "best", "held", "holds no load". */
  readonly result: string;
  /** What may be promised; null: none. */
  readonly factor: number | null;
  /** The lowest factor above it that was not held; null: each that was sent was held. */
  readonly missed: number | null;
  /** The model that misses its target first; null: none did. */
  readonly limiting: string | null;
  readonly instances: number;
  /** Measurements of all models together. */
  readonly looks: number;
  /** Ascending. */
  readonly loads: readonly JointLoad[];
}

function loadOf(joint: JointStrategy, searched: Searched, view: JointView, set: JointSet) {
  return ({ step, held }: { readonly step: number; readonly held: boolean }): JointLoad => {
    const looks = looksAt(view, searched, set, step).map(partsOf);
    const parts = joint.models.map(({ title: model, percentile, latencyUs: limitUs }, at): JointPart => ({
      ...{ model, percentile, limitUs },
      latencyUs: medianOf(looks.flatMap((own) => own[at]?.latencyUs ?? [])),
    }));
    const share = largestOf(parts.map(({ latencyUs, limitUs }) => latencyUs / limitUs));
    return { factor: rateOf(step), held, parts, share };
  };
}

function resultOf({ arm: { best, beyond } }: JointSet, isBest: boolean): string {
  if (isBest) return 'best';
  if (best !== null) return 'held';
  return beyond === null ? 'not judged' : 'holds no load';
}

/** Every set that was measured, with each of its loads. Pure. */
export function jointTries(joint: JointStrategy, searched: Searched): readonly JointTry[] {
  const view = viewOf(joint, searched);
  const winner = winnerOf(joint, view);
  return view.sets.map((set, at): JointTry => {
    const { best, beyond, candidate } = set.arm;
    const missing = beyond === null ? [] : looksAt(view, searched, set, beyond);
    const [nearest] = missing.length === 0 ? [] : byNearness(joint, missing);
    return {
      ...{ number: at + 1, text: setText(joint, set.picks), instances: set.instances },
      ...{ isBest: set === winner, isPresent: set.changes === 0, result: resultOf(set, set === winner) },
      factor: best === null ? null : rateOf(best),
      missed: beyond === null ? null : rateOf(beyond),
      limiting: nearest === undefined ? null : (joint.models[nearest]?.title ?? null),
      looks: view.looks.filter((look) => look.candidate === candidate).length,
      loads: loadsOf(joint, view, set).map(loadOf(joint, searched, view, set)),
    };
  });
}

/** The set that a chart draws by model: the best, or where there is none the first. */
export const shownTry = (tries: readonly JointTry[]): JointTry | null =>
  tries.find(({ isBest }) => isBest) ?? tries[0] ?? null;

/** Latencies above their target by more than that are at the edge of a chart: else they would press all others to the foot. */
const edge = 250;

/** @param share latency of its target */
export const percentOfTarget = (share: number): number => Math.min(edge, 100 * share);
