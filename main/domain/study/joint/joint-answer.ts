import { formatMs, formatRate } from '../../../contract/numbers';
import type { JointModel, JointStrategy } from '../../../contract/study/joint';
import type { Searched } from '../../../contract/study/search';
import { medianOf } from '../../statistics';
import { rateOf } from '../search/arms';
import { candidateText, fixedTexts } from '../search/candidates';
import { type Ratio, secondsOf } from '../search/next-looks';
import {
  byNearness,
  candidateIn,
  firstOf,
  goalStep,
  type JointSet,
  type JointView,
  looksAt,
  partsOf,
  presentPicks,
  viewOf,
  winnerOf,
} from './joint-sets';

/** A model in the best set, and in the present one. */
export interface JointRow {
  readonly model: string;
  /** "model instances 2": what it does otherwise than at present. */
  readonly configuration: string;
  readonly instances: number;
  /** Inferences/s that are promised; null: none. */
  readonly inferencesPerSecond: number | null;
  /** Of its percentile, the median of the looks at that load or the nearest above it, microseconds; null: no look there. */
  readonly latencyUs: number | null;
  readonly percentile: number;
  readonly limitUs: number;
  /** Inferences/s that the present set promises; null: none. */
  readonly presentInferencesPerSecond: number | null;
  /** It is the one that misses its target first. */
  readonly isLimiting: boolean;
  /** Configurations that were measured, of so many; and those that could not be. */
  readonly measured: number;
  readonly configurations: number;
  readonly failed: number;
}

/** What a search of several models comes to. */
export interface JointAnswer {
  /** Held together within all targets, times the given rates, or inferences/s of a mix; null: none. */
  readonly factor: number | null;
  /** The lowest factor above it that was not held; null: each that was sent was held. */
  readonly missed: number | null;
  /** Of the present set; null: none, or it was not measured. */
  readonly presentFactor: number | null;
  /** The factor relative to that of the present set; null: not compared, or it is the present set. */
  readonly gain: Ratio | null;
  readonly instances: number | null;
  readonly presentInstances: number;
  /** The model that misses its target first; null: not known. */
  readonly limiting: string | null;
  /** Measured at full length at what it is said to hold. */
  readonly isConfirmed: boolean;
  /** It ended before the limit of the best set was known. */
  readonly isCutShort: boolean;
  readonly seconds: number;
  readonly rows: readonly JointRow[];
  /** What was not tried, and why, a sentence each without its full stop. */
  readonly untried: readonly string[];
  readonly sentence: string;
}

/** What is held, and the load above it that is not, of steps of 5 %. */
function reachOf({ arm: { best, beyond, highest } }: JointSet) {
  const gap = beyond === null || highest === null ? 1 : beyond - highest;
  return { held: rateOf(best ?? 0), next: rateOf((best ?? 0) + gap) };
}

function gainOf(winner: JointSet | null, present: JointSet | undefined): Ratio | null {
  if (winner === null || present === undefined || present.arm.best === null || winner === present)
    return null;
  const [own, other] = [reachOf(winner), reachOf(present)];
  return { ratio: own.held / other.held, low: own.held / other.next, high: own.next / other.held };
}

/** Nobody knows how much more it holds. */
function isOpen(joint: JointStrategy, winner: JointSet | null): boolean {
  if (winner === null) return false;
  const { beyond, best, highest } = winner.arm;
  const step = goalStep(joint);
  return step !== null && (best ?? -Infinity) >= step ? false : beyond !== (highest ?? 0) + 1;
}

/** At what it promises, else at the lowest load above it. */
function promisedLooks(view: JointView, searched: Searched, set: JointSet) {
  const { best, highest } = set.arm;
  for (let step = best ?? 0; step <= (highest ?? -Infinity); step += 1) {
    const looks = looksAt(view, searched, set, step);
    if (looks.length > 0) return looks;
  }
  return [];
}

/** The place of the model that misses its target first; null: none did. */
function limitingOf(joint: JointStrategy, view: JointView, searched: Searched, set: JointSet): number | null {
  const { beyond } = set.arm;
  const looks = beyond === null ? [] : looksAt(view, searched, set, beyond);
  return looks.length === 0 ? null : (byNearness(joint, looks)[0] ?? null);
}

/** More names than that are in the report. */
const mostNamed = 4;

function untriedOf(joint: JointStrategy, searched: Searched): readonly string[] {
  const seen = new Set(searched.looks.flatMap(partsOf).map(({ candidate }) => candidate));
  return joint.models.flatMap(({ title, candidates }, at) => {
    const [present] = candidates;
    const numbers = candidates.map((_one, place) => firstOf(joint, at) + place);
    const textOf = (number: number): string =>
      present === undefined ? '' : candidateText(present, candidateIn(joint, number).own);
    const failed = numbers.filter((number) => searched.failed[number] !== undefined);
    const fixed = fixedTexts(candidates);
    const left = numbers.filter((number) => searched.failed[number] === undefined && !seen.has(number));
    const more = left.length - mostNamed;
    const named = left.slice(0, mostNamed).map(textOf).join('; ');
    return [
      ...(fixed.length === 0 ? [] : [`Not varied of ${title}: ${fixed.join(', ')}`]),
      ...(left.length === 0
        ? []
        : [`Not measured of ${title}: ${named}${more > 0 ? `; and ${more} more` : ''}`]),
      ...failed.map(
        (number) =>
          `Could not be measured: ${textOf(number)} of ${title} (${searched.failed[number]?.message ?? ''})`,
      ),
    ];
  });
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** "1.40 × the given rates", "1,240 inferences/s in all". */
export const factorText = ({ isMix }: Pick<JointStrategy, 'isMix'>, factor: number): string =>
  isMix ? `${formatRate(factor)} inferences/s in all` : `${factor.toFixed(2)} × the given rates`;

const configText = (rows: readonly JointRow[]): string =>
  rows.map(({ model, configuration }) => `${model}: ${configuration}`).join('; ');

type Said = Omit<JointAnswer, 'sentence'>;

function gainText({ gain, presentFactor }: Said): string {
  if (presentFactor === null) return '. The present configurations hold no load within the targets';
  if (gain === null) return '';
  const interval = `${gain.ratio.toFixed(2)} × the present configurations (${gain.low.toFixed(2)} to ${gain.high.toFixed(2)})`;
  return `, ${interval}${gain.low <= 1 ? ': within the noise' : ''}`;
}

function noneText(joint: JointStrategy, searched: Searched): string {
  const [failed] = Object.values(searched.failed);
  if (searched.looks.length > 0) {
    const lowest = joint.isMix ? '' : ', not even a tenth of the given rates';
    return `The ${joint.models.length} models hold no load together within their targets${lowest}`;
  }
  return failed === undefined
    ? `${counted(joint.models.length, 'model')} to be measured together`
    : `The models could not be measured together: ${failed.message}`;
}

function sentenceOf(joint: JointStrategy, searched: Searched, said: Said): string {
  const { factor, missed, limiting, rows, instances, presentInstances, isCutShort } = said;
  if (factor === null) return noneText(joint, searched);
  const models = `${joint.models.length} models`;
  const limits = limiting === null ? '' : `; ${limiting} limits`;
  const isMet = goalStep(joint) !== null && factor >= 1;
  if (isMet) {
    const fewer = instances === presentInstances ? '' : ` in place of ${presentInstances}`;
    return `These ${models} hold the given rates together within their targets with ${counted(instances ?? 0, 'instance')}${fewer}. ${configText(rows)}`;
  }
  const isAtEnd = searched.looks.some(({ phase }) => phase === 'confirm');
  const open = isAtEnd ? 'the budget ended before the limit was known' : 'the limit is not known yet';
  const more = isCutShort ? ` (${open})` : '';
  const above = missed === null || isCutShort ? more : ` (${factorText(joint, missed)} was not held)`;
  const short = goalStep(joint) === null ? '' : ', not the given rates';
  return `These ${models} hold their targets together up to ${factorText(joint, factor)}${short}${above}${gainText(said)}${limits}. ${configText(rows)}`;
}

/** 0.1 times 3 is 0.3. */
const withoutTail = (value: number): number => Number(value.toPrecision(10));

interface Compared {
  readonly view: JointView;
  readonly winner: JointSet | null;
  readonly present: JointSet | undefined;
}

function rowOf(
  joint: JointStrategy,
  searched: Searched,
  { view, winner, present }: Compared,
  [model, at]: readonly [JointModel, number],
): JointRow {
  const pick = (winner?.picks ?? presentPicks(joint))[at] as number;
  const { own, present: first } = candidateIn(joint, pick);
  const looks = winner === null ? [] : promisedLooks(view, searched, winner).map((look) => partsOf(look)[at]);
  const latencies = looks.flatMap((look) => look?.latencyUs ?? []);
  const rateAt = (set: JointSet | null | undefined): number | null =>
    set?.arm.best === null || set?.arm.best === undefined
      ? null
      : withoutTail(rateOf(set.arm.best) * model.rate);
  const numbers = model.candidates.map((_one, place) => firstOf(joint, at) + place);
  const seen = new Set(searched.looks.flatMap(partsOf).map(({ candidate }) => candidate));
  return {
    ...{ model: model.title, configuration: candidateText(first, own), instances: own.instances },
    ...{ inferencesPerSecond: rateAt(winner), presentInferencesPerSecond: rateAt(present) },
    latencyUs: latencies.length === 0 ? null : medianOf(latencies),
    ...{ percentile: model.percentile, limitUs: model.latencyUs },
    isLimiting: winner !== null && limitingOf(joint, view, searched, winner) === at,
    measured: numbers.filter((number) => seen.has(number)).length,
    configurations: numbers.length,
    failed: numbers.filter((number) => searched.failed[number] !== undefined).length,
  };
}

/** What is known so far, in words and figures. Pure. */
export function jointAnswer(joint: JointStrategy, searched: Searched): JointAnswer {
  const view = viewOf(joint, searched);
  const winner = winnerOf(joint, view);
  const present = view.sets.find(({ changes }) => changes === 0);
  const rows = joint.models.map((model, at) =>
    rowOf(joint, searched, { view, winner, present }, [model, at]),
  );
  const confirmed =
    winner === null
      ? []
      : looksAt(view, searched, winner, winner.arm.best ?? 0).filter(({ phase }) => phase === 'confirm');
  const said: Said = {
    factor: winner === null ? null : rateOf(winner.arm.best ?? 0),
    missed: winner?.arm.beyond === null || winner === null ? null : rateOf(winner.arm.beyond),
    presentFactor: present?.arm.best === null || present === undefined ? null : rateOf(present.arm.best),
    gain: gainOf(winner, present),
    instances: winner?.instances ?? null,
    presentInstances: joint.models.reduce((sum, { candidates }) => sum + (candidates[0]?.instances ?? 0), 0),
    limiting: rows.find(({ isLimiting }) => isLimiting)?.model ?? null,
    isConfirmed: confirmed.length > 0,
    isCutShort: isOpen(joint, winner),
    seconds: secondsOf(searched),
    rows,
    untried: untriedOf(joint, searched),
  };
  return { ...said, sentence: sentenceOf(joint, searched, said) };
}

/** "Present configurations: 0.95 × the given rates"; null: they are the best, or nothing is known of them. Pure. */
export function presentText(joint: JointStrategy, { presentFactor, gain }: JointAnswer): string | null {
  return presentFactor === null || gain === null
    ? null
    : `Present configurations: ${factorText(joint, presentFactor)}`;
}

/** "resnet: 100 inferences/s, p99 at most 20 ms, 6 configurations", as it was asked for. Pure. */
export const modelLine = (
  { isMix }: Pick<JointStrategy, 'isMix'>,
  { title, rate, percentile, latencyUs, candidates, batchSize }: JointModel,
): string => {
  const load = isMix ? `${(100 * rate).toFixed(0)} % of the mix` : `${formatRate(rate)} inferences/s`;
  return `${title}: ${load}, p${percentile} at most ${formatMs(latencyUs)} ms, batch size ${batchSize}, ${counted(candidates.length, 'configuration')}`;
};
