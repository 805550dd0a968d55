import { isFaulty, isSound, isSteady } from '../../contract/flag-text';
import { withHalfWidth } from '../../contract/measured/column';
import { throughput } from '../../contract/measured/columns';
import { listed } from '../../contract/measured/compared-batches';
import { formatTyped } from '../../contract/numbers';
import { bySource } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { servedModels } from '../../contract/run/server-load';
import { levelText } from '../../contract/words';
import { largestOf } from '../statistics';
import { type Answer, answerOf, levelFigures, rateOf } from './answer';
import { besideThroughput } from './compare-levels';
import { type BestPoint, budgetMsOf, isAllFaulty, isWithin, measuredPoints } from './points';

/** A run with a name that is distinct among those compared. */
export interface NamedRun {
  readonly name: string;
  readonly state: RunState;
}

export interface BestRun {
  /** Index of the fastest run; null where none has a level to name. */
  readonly index: number | null;
  readonly best: BestPoint | null;
  /** Faster than every other run beyond the noise of both, without doubts. */
  readonly isClear: boolean;
  readonly sentence: string;
}

interface MeasuredModel {
  readonly name: string;
  readonly key: string;
  /** null: not made by the workbench. */
  readonly size: string | null;
}

/** Nothing for an imported run, whose model is only a name in a file. */
const measuredModels = (states: readonly RunState[]): readonly MeasuredModel[] =>
  states.flatMap(({ source }) =>
    bySource<readonly MeasuredModel[]>(source, {
      imported: () => [],
      server: (load) => [{ name: servedModels(load), key: servedModels(load), size: null }],
      deployed: ({ model: { preset, args, profile } }) => [
        { name: preset, key: JSON.stringify([preset, args]), size: profile },
      ],
    }),
  );

/**
 * "different models (resnet50 and bert)", "different sizes of resnet50 (quick and full)"; null where all are equal as far
 * as known: a served model may be that of a run under another name.
 */
function differentModels(states: readonly RunState[]): string | null {
  const models = measuredModels(states);
  for (const served of [false, true]) {
    const own = models.filter(({ size }) => (size === null) === served);
    if (new Set(own.map(({ key }) => key)).size < 2) continue;
    const distinct = [...new Set(own.map(({ name }) => name))];
    if (distinct.length > 1) return `different models (${listed(distinct)})`;
    const sizes = [...new Set(own.map(({ size }) => size))];
    return `different sizes of ${distinct[0] ?? ''}${sizes.length < 2 ? '' : ` (${sizes.join(' and ')})`}`;
  }
  return null;
}

export function differentModelsText(states: readonly RunState[]): string | null {
  const models = differentModels(states);
  return models === null
    ? null
    : `The runs are of ${models}: the ratios compare models, not settings of one.`;
}

const placeOf = ({ scenario, point }: BestPoint): string => `${scenario}, ${levelText(point)}`;

/** Common p99 budget; null where they differ or have none. */
export function sharedBudgetMs(states: readonly RunState[]): number | null {
  const [first = null, ...others] = states.map(budgetMsOf);
  return others.every((budgetMs) => budgetMs === first) ? first : null;
}

interface Contender extends NamedRun {
  readonly headroom: number | null;
  readonly doubts: Answer['doubts'];
  /** Level of the answer; null where none is within the budget, or all have errors. */
  readonly level: BestPoint | null;
  readonly within: readonly BestPoint[];
}

/** "4,071 ± 3,090 inferences/s", with the level where it differs from the best. */
function rateText(level: BestPoint, best: BestPoint): string {
  const place = placeOf(level) === placeOf(best) ? '' : `, ${placeOf(level)}`;
  return `${withHalfWidth(throughput, level.point)} inferences/s${place}`;
}

const soundLevel = ({ level }: Contender): BestPoint | null =>
  level !== null && isSound(level.point) ? level : null;

/** Why the best may not be faster than this run; null where it is. */
function openReason(best: BestPoint, other: Contender): string | null {
  const noiseTo = ({ point }: BestPoint) => besideThroughput(point, best.point).withinNoise;
  const level = soundLevel(other);
  if (level !== null && noiseTo(level) === true) {
    return `${other.name} (${rateText(level, best)}) does not differ beyond noise`;
  }
  // An unsteady level would come out differently the next time.
  const mayBe = other.within
    .filter(({ point }) => !isSteady(point) && !isFaulty(point))
    .filter((one) => rateOf(one) >= rateOf(best) || noiseTo(one) === true)
    .toSorted((a, b) => rateOf(b) - rateOf(a))[0];
  if (mayBe !== undefined) {
    return rateOf(mayBe) > rateOf(best)
      ? `${other.name} has a faster level that is not steady (${rateText(mayBe, best)})`
      : `${other.name} has a level that is not steady and may be as fast (${rateText(mayBe, best)})`;
  }
  return level === null || noiseTo(level) === false
    ? null
    : `the noise between it and ${other.name} (${rateText(level, best)}) is unknown`;
}

function noneSentence(runs: readonly Contender[], budgetMs: number | null): string {
  if (budgetMs === null) {
    const has = runs.every(({ within }) => within.length === 0)
      ? 'measured anything'
      : 'a level without errors';
    return `None of the ${runs.length} runs has ${has}.`;
  }
  const doubtful = runs.filter(({ within }) => within.length > 0).length;
  const others =
    doubtful === 0
      ? ''
      : ` ${doubtful} ${doubtful === 1 ? 'has' : 'have'} a level within it that is not steady or has errors.`;
  return `None of the ${runs.length} runs has a steady level with a p99 within ${formatTyped(budgetMs)} ms.${others}`;
}

/** Names what the best beats, beyond noise. */
function beatenText(best: BestPoint, others: readonly Contender[]): string {
  const levels = others.flatMap((other) => {
    const level = soundLevel(other);
    return level === null ? [] : [{ name: other.name, level }];
  });
  const [next] = levels.toSorted((a, b) => rateOf(b.level) - rateOf(a.level));
  if (next === undefined) return 'no other run has a steady level without errors to compare';
  const which = others.length > 1 ? 'the next, ' : '';
  return `faster than ${which}${next.name} (${rateText(next.level, best)}) beyond noise`;
}

function contenderOf(run: NamedRun, budgetMs: number | null): Contender {
  const all = measuredPoints(run.state);
  const within = budgetMs === null ? all : all.filter(({ point }) => isWithin(point, budgetMs));
  const { level, headroom, doubts } = answerOf(run.state, budgetMs) ?? {
    level: null,
    headroom: null,
    doubts: [],
  };
  return { ...run, within, headroom, doubts, level: isAllFaulty(run.state) ? null : level };
}

/** Highest throughput within a p99 budget, and whether it is beyond noise, in one sentence. */
export function bestOfRuns(runs: readonly NamedRun[], budgetMs: number | null): BestRun {
  const contenders = runs.map((run) => contenderOf(run, budgetMs));
  const rankOf = ({ level }: Contender): number => (level === null ? -1 : isSound(level.point) ? 1 : 0);
  const top = largestOf(contenders.map(rankOf));
  const most = largestOf(
    contenders.map((one) => (one.level !== null && rankOf(one) === top ? rateOf(one.level) : -1)),
  );
  const index = contenders.findIndex(
    (one) => one.level !== null && rankOf(one) === top && rateOf(one.level) === most,
  );
  const winner = contenders[index];
  const best = winner?.level ?? null;
  if (winner === undefined || best === null) {
    return { index: null, best: null, isClear: false, sentence: noneSentence(contenders, budgetMs) };
  }
  const others = contenders.filter((_, at) => at !== index);
  const open = others.flatMap((other) => openReason(best, other) ?? []);
  const models = differentModels(runs.map(({ state }) => state));
  const limit = budgetMs === null ? '' : ` within a p99 of ${formatTyped(budgetMs)} ms`;
  const of = `of ${runs.length} runs${models === null ? '' : ` of ${models}`}${limit}`;
  const figures = levelFigures(best, winner.headroom);
  const isFastest = isSound(best.point) && open.length === 0;
  const [first, what] = models === null ? ['Best', 'best'] : ['Fastest', 'fastest'];
  const lead = isFastest
    ? `${first} ${of}: ${winner.name}, ${figures}; ${beatenText(best, others)}.`
    : isSound(best.point)
      ? `No clear ${what} ${of}: ${winner.name} has ${figures}, but ${open.join('; ')}.`
      : `No ${what} ${of}: no level is steady; the fastest is of ${winner.name}, ${figures}.`;
  return {
    index,
    best,
    isClear: isFastest && winner.doubts.length === 0,
    sentence: [lead, ...winner.doubts.map(({ text }) => `${text}.`)].join(' '),
  };
}
