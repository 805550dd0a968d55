import {
  faultText,
  isFaulty,
  isSound,
  isSteady,
  marksOf,
  notFiniteText,
  permittedFailuresText,
} from '../../contract/flag-text';
import { withHalfWidth } from '../../contract/measured/column';
import { p99 } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import {
  formatCount,
  formatDuration,
  formatFixed,
  formatMs,
  formatRate,
  formatTyped,
} from '../../contract/numbers';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs, itemsPerRequest } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { type BestPoint, bestPoint, budgetMsOf, highest, isWithin, measuredPoints } from './points';

/** Half-width of p99's 95 % interval, as a share of p99, above which the answer is doubtful. */
const uncertainShare = 0.25;
/** With fewer, a handful of requests decides p99. */
export const enoughRequests = 500;

export interface AnswerDoubt {
  readonly kind: 'left-out' | 'failed' | 'not-finite' | 'uncertain' | 'few-requests';
  /** A sentence without its full stop: "3 faster levels are not steady: up to 4,072 inferences/s". */
  readonly text: string;
  /** Short form for lists: "3 faster not steady". */
  readonly mark: string;
  readonly levels: readonly BestPoint[];
}

export interface ChosenLevel extends BestPoint {
  /** "Best steady level", "Best steady level within 20 ms", "Best level, not steady". */
  readonly name: string;
}

/** The one level a run results in, what was left out for it, and how reliable it is. */
export interface Answer {
  /** null: without a p99 budget. */
  readonly budgetMs: number | null;
  /** null: no sound level is within the budget. */
  readonly level: ChosenLevel | null;
  readonly name: string;
  /** Remaining share of the budget, 0 to 1; null without a budget or a level. */
  readonly headroom: number | null;
  /** Level and figures without doubts and full stop. */
  readonly sentence: string;
  readonly doubts: readonly AnswerDoubt[];
  readonly isSure: boolean;
  /** For lists, gravest doubt first; null without doubts. */
  readonly mark: string | null;
  /** Levels that a longer measurement may settle. */
  readonly again: readonly BestPoint[];
  readonly text: string;
}

/** Half-width of the 95 % interval of p99; null: unknown, as from the schedule. */
export const p99HalfUs = (point: LoadPoint): number | null =>
  point.scheduled === undefined ? (point.p99IntervalUs ?? null) : null;

/** "6.89 ± 0.30 ms", "14.20 ms from schedule". */
export const p99Text = (point: LoadPoint): string =>
  point.scheduled === undefined
    ? `${withHalfWidth(p99, point)} ms`
    : `${formatMs(budgetLatencyUs(point))} ms from schedule`;

/** Per measurement, where the level stands for several. */
const requestsOf = ({ requestCount, repeats }: LoadPoint): number | null =>
  requestCount === null ? null : requestCount / (repeats?.count ?? 1);

/** "5,718 requests in 3.0 s"; null where the tool does not report it. */
export function basisText(point: LoadPoint): string | null {
  const { requestCount, inferencesPerSecond } = point;
  if (requestCount === null || requestCount === 0) return null;
  const requests = `${formatCount(requestCount)} ${requestCount === 1 ? 'request' : 'requests'}`;
  return `${requests} in ${formatDuration((1e6 * requestCount * itemsPerRequest(point)) / inferencesPerSecond)}`;
}

/** Level and doubts beside steadiness: "offline, batch size 2, concurrency 1; client-limited". */
export const bestLevelText = (best: BestPoint): string => levelWords(best, []);

function levelWords({ scenario, point }: BestPoint, more: readonly (string | null)[]): string {
  const doubts = marksOf(point).filter((mark) => mark !== 'not steady');
  const model = point.model === undefined ? '' : `${point.model}, `;
  const parts = [`${scenario}, ${model}${levelText(point)}`, ...more, ...doubts];
  return parts.filter((part) => part !== null).join('; ');
}

/** "headroom 35 %", rounded down, so that plans are safe. */
const headroomText = (headroom: number): string =>
  `headroom ${formatFixed(Math.floor(headroom * 100 + 1e-9), 0)} %`;

/** "2,366 inferences/s at p99 11.20 ± 0.30 ms (headroom 44 %; offline, batch size 2, concurrency 1; 5,718 requests in 3.0 s)". */
export function levelFigures(best: BestPoint, headroom: number | null): string {
  const { point } = best;
  const room = headroom === null ? '' : `${headroomText(headroom)}; `;
  return `${formatRate(point.inferencesPerSecond)} inferences/s at p99 ${p99Text(point)} (${room}${levelWords(best, [basisText(point)])})`;
}

function faultWord({ flags }: LoadPoint): 'errors' | 'wrong responses' | 'refusals' {
  if (flags.includes('errors')) return 'errors';
  return flags.includes('wrong-responses') ? 'wrong responses' : 'refusals';
}

function nameOf({ point }: BestPoint): string {
  const name = isSteady(point) ? 'Best steady level' : 'Best level, not steady';
  if (!isFaulty(point)) return name;
  return `No level without ${faultWord(point)}; best level, ${faultText(point)}`;
}

export const rateOf = ({ point }: BestPoint): number => point.inferencesPerSecond;

const leftOutKinds = [
  {
    is: (point: LoadPoint) => !isFaulty(point),
    one: 'is not steady',
    more: 'are not steady',
    mark: 'not steady',
  },
  ...(['errors', 'wrong responses', 'refusals'] as const).map((what) => ({
    is: (point: LoadPoint) => isFaulty(point) && faultWord(point) === what,
    one: `has ${what}`,
    more: `have ${what}`,
    mark: `with ${what}`,
  })),
];

/** Faster levels that were left out: how many, why, and by how much. */
function leftOutDoubts(
  leftOut: readonly BestPoint[],
  level: BestPoint | null,
  within: string,
): readonly AnswerDoubt[] {
  const faster = level === null ? '' : 'faster ';
  return leftOutKinds.flatMap(({ is, one, more, mark }) => {
    const levels = leftOut.filter(({ point }) => is(point)).toSorted((a, b) => rateOf(b) - rateOf(a));
    const [top] = levels;
    if (top === undefined) return [];
    const rate = `${formatRate(rateOf(top))} inferences/s`;
    const text =
      levels.length === 1
        ? `1 ${faster}level${within} ${one}: ${rate} at p99 ${p99Text(top.point)}`
        : `${formatCount(levels.length)} ${faster}levels${within} ${more}: up to ${rate}`;
    return [{ kind: 'left-out', text, mark: `${formatCount(levels.length)} ${faster}${mark}`, levels }];
  });
}

/** Failed requests within the permitted share, and non-finite values. */
function responseDoubts({ point }: BestPoint): readonly AnswerDoubt[] {
  const failed = permittedFailuresText(point);
  const doubts: AnswerDoubt[] = [];
  if (failed !== null) {
    const mark = `${formatCount(point.errorCount)} failed`;
    doubts.push({ kind: 'failed', text: failed, mark, levels: [] });
  }
  if (point.flags.includes('not-finite')) {
    const mark = 'NaN or infinite values';
    doubts.push({ kind: 'not-finite', text: notFiniteText(point), mark, levels: [] });
  }
  return doubts;
}

function p99Doubts(level: BestPoint): readonly AnswerDoubt[] {
  const { point } = level;
  const half = p99HalfUs(point);
  const share = half === null ? 0 : half / point.p99Us;
  const requests = requestsOf(point);
  const percent = `± ${formatFixed(share * 100, 0)} %`;
  const doubts: AnswerDoubt[] = [];
  if (share > uncertainShare) {
    doubts.push({
      kind: 'uncertain',
      text: `p99 is uncertain: ${percent}`,
      mark: `p99 ${percent}`,
      levels: [level],
    });
  }
  if (requests !== null && requests < enoughRequests) {
    const each = point.repeats === undefined ? '' : ' per measurement';
    const few = `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
    doubts.push({
      kind: 'few-requests',
      text: `p99 is based on only ${few}${each}: a reliable p99 needs ${formatCount(enoughRequests)} or more`,
      mark: `p99 of ${few}`,
      levels: [level],
    });
  }
  return doubts;
}

/** What is in doubt about one level, whatever others were measured. */
export const levelDoubts = (level: BestPoint): readonly AnswerDoubt[] => [
  ...responseDoubts(level),
  ...p99Doubts(level),
];

const worthAgain = (level: BestPoint, doubts: readonly AnswerDoubt[]): readonly BestPoint[] =>
  [...new Set(doubts.flatMap(({ levels }) => levels))].filter(
    ({ point }) => point === level.point || !isFaulty(point),
  );

const notSteady = (levels: readonly BestPoint[]): readonly BestPoint[] =>
  levels.filter(({ point }) => !isSteady(point) && !isFaulty(point));

const textOf = (sentence: string, doubts: readonly AnswerDoubt[]): string =>
  [sentence, ...doubts.map(({ text }) => text)].map((part) => `${part}.`).join(' ');

const suffixOf = (budgetMs: number | null): string =>
  budgetMs === null ? '' : ` within ${formatTyped(budgetMs)} ms`;

/** Why no level counts, whatever its p99. */
function noneSoundText(all: readonly BestPoint[]): string {
  const points = all.map(({ point }) => point);
  if (!points.some(isFaulty)) return 'No level is steady';
  return points.every(isFaulty)
    ? 'Every level has failed requests or wrong responses'
    : 'No level is steady and without errors';
}

/** The lowest p99, as no sound level is within the budget. */
function noAnswer(all: readonly BestPoint[], within: readonly BestPoint[], budgetMs: number): Answer {
  const suffix = suffixOf(budgetMs);
  const lowest = all
    .filter(({ point }) => isSound(point))
    .toSorted((a, b) => budgetLatencyUs(a.point) - budgetLatencyUs(b.point))[0];
  const sentence =
    lowest === undefined
      ? `${noneSoundText(all)}, so none counts${suffix}`
      : `No steady level has a p99${suffix}; the lowest is ${p99Text(lowest.point)} at ${formatRate(rateOf(lowest))} inferences/s (${bestLevelText(lowest)})`;
  const doubts = leftOutDoubts(within, null, suffix);
  return {
    budgetMs,
    sentence,
    doubts,
    level: null,
    headroom: null,
    isSure: false,
    name: `Best steady level${suffix}`,
    mark: `none${suffix}`,
    again: notSteady(within),
    text: textOf(sentence, doubts),
  };
}

function answerWith(best: BestPoint, within: readonly BestPoint[], budgetMs: number | null): Answer {
  const suffix = suffixOf(budgetMs);
  const name = `${nameOf(best)}${suffix}`;
  const headroom = budgetMs === null ? null : 1 - budgetLatencyUs(best.point) / (budgetMs * 1000);
  const faster = within.filter((other) => !isSound(other.point) && rateOf(other) > rateOf(best));
  const doubts = [...leftOutDoubts(faster, best, suffix), ...levelDoubts(best)];
  const sentence = `${name}: ${levelFigures(best, headroom)}`;
  const sound = isSound(best.point);
  // Already in the sentence, beside the level: "machine busy", "client-limited".
  const marks = marksOf(best.point);
  return {
    budgetMs,
    name,
    headroom,
    sentence,
    doubts,
    level: { ...best, name },
    isSure: sound && doubts.length === 0 && marks.length === 0,
    mark: isFaulty(best.point)
      ? faultWord(best.point)
      : isSteady(best.point)
        ? (doubts[0]?.mark ?? marks[0] ?? null)
        : 'not steady',
    again: sound ? worthAgain(best, doubts) : notSteady(within),
    text: textOf(sentence, doubts),
  };
}

/** The answer within the p99 budget, in the words of every output. null where nothing was measured. */
export function answerOf(state: RunState, budgetMs: number | null = budgetMsOf(state)): Answer | null {
  const all = measuredPoints(state);
  const within = budgetMs === null ? all : all.filter(({ point }) => isWithin(point, budgetMs));
  const best = highest(within.filter(({ point }) => isSound(point)));
  if (best === null && budgetMs !== null) return all.length === 0 ? null : noAnswer(all, within, budgetMs);
  const chosen = best ?? bestPoint(state);
  return chosen === null ? null : answerWith(chosen, within, budgetMs);
}
