import { medianOf, studentQuantile } from '../../statistics';

/** A median of readings. `life`: which start of the process it is of. */
export interface GrowthPoint {
  readonly atMs: number;
  readonly value: number;
  readonly life: number;
}

interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** `unclear`: it grew, and may have stopped. `step`: it rose once, and is flat otherwise. `unknown`: too little was read. */
export type GrowthVerdict = 'grows' | 'flat' | 'step' | 'unclear' | 'unknown';

export interface Growth {
  readonly verdict: GrowthVerdict;
  /** Per hour, after the warm-up part, with its 95 % interval; null: too little was read. */
  readonly perHour: Interval | null;
  /** Where the warm-up part ends. */
  readonly sinceMs: number;
  /** Where a `step` is, and how high. */
  readonly step: { readonly atMs: number; readonly by: number } | null;
}

/** What counts of a figure, in its unit. */
export interface GrowthScale {
  /** Growth over the judged part that counts at all. */
  readonly least: number;
  /** Smallest change that a reading can show. */
  readonly unit: number;
}

const hourMs = 3_600_000;
/** Points that are judged; more are joined by their median. */
const mostPoints = 48;
const fewestPoints = 8;
/** Of each start of the server this much is warm-up at least, and at most. */
const warm = { least: 0.1, most: 0.4 } as const;
/** Neighbors that follow from one another count as fewer; beyond this nothing could be said. */
const mostCorrelation = 0.95;
/** Of the growth a single rise makes: then it is a step. */
const stepShare = 0.6;
/** Times the usual change between neighbors. */
const stepNoise = 6;
/** What follows is a line where its residuals are not much larger than those of the last part. */
const bent = 1.5;

type Points = readonly GrowthPoint[];

function byLife(points: Points): readonly Points[] {
  const lives = new Map<number, GrowthPoint[]>();
  for (const point of points) {
    const own = lives.get(point.life) ?? [];
    if (own.length === 0) lives.set(point.life, own);
    own.push(point);
  }
  return [...lives.values()];
}

/** Joins neighbors of the same life. */
function joined(points: Points): Points {
  const each = Math.ceil(points.length / mostPoints);
  if (each <= 1) return points;
  return byLife(points).flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / each) }, (_unused, at): GrowthPoint => {
      const group = own.slice(at * each, (at + 1) * each);
      return {
        atMs: medianOf(group.map(({ atMs }) => atMs)),
        value: medianOf(group.map(({ value }) => value)),
        life: own[0]?.life ?? 1,
      };
    }),
  );
}

/** Median of the slopes of all pairs of the same life, per millisecond (Theil and Sen); 0 without a pair. */
function slopeOf(lives: readonly Points[]): number {
  const slopes: number[] = [];
  for (const own of lives) {
    for (let later = 1; later < own.length; later += 1) {
      const to = own[later] as GrowthPoint;
      for (let at = 0; at < later; at += 1) {
        const from = own[at] as GrowthPoint;
        if (to.atMs > from.atMs) slopes.push((to.value - from.value) / (to.atMs - from.atMs));
      }
    }
  }
  return slopes.length === 0 ? 0 : medianOf(slopes);
}

/** Level of each life at time 0, by its median. */
const levelOf = (own: Points, slope: number): number =>
  medianOf(own.map(({ atMs, value }) => value - slope * atMs));

function residualsOf(lives: readonly Points[], slope: number): readonly number[] {
  return lives.flatMap((own) => {
    const level = levelOf(own, slope);
    return own.map(({ atMs, value }) => value - level - slope * atMs);
  });
}

/** How alike neighbors are, 0 to 1, corrected for the few of them (Marriott and Pope). */
function correlationOf(residuals: readonly number[]): number {
  const { length } = residuals;
  let [products, squares] = [0, 0];
  for (const [at, own] of residuals.entries()) {
    squares += own ** 2;
    products += own * (residuals[at - 1] ?? 0);
  }
  const seen = squares === 0 ? 0 : products / squares;
  return Math.min(mostCorrelation, Math.max(0, seen + (1 + 3 * seen) / length));
}

/** Sum of squared distances of the times from the mean of their life. */
function timeSquares(lives: readonly Points[]): number {
  return lives.reduce((sum, own) => {
    const mean = own.reduce((all, { atMs }) => all + atMs, 0) / own.length;
    return sum + own.reduce((all, { atMs }) => all + (atMs - mean) ** 2, 0);
  }, 0);
}

/**
 * The slope per hour with its interval: Student's, of as many points as are independent (AR(1)).
 * No narrower than what a reading can show over the part.
 */
function lineOf(points: Points, unit: number): Interval {
  const lives = byLife(points);
  const slope = slopeOf(lives);
  const residuals = residualsOf(lives, slope);
  const correlation = correlationOf(residuals);
  const inflation = (1 + correlation) / (1 - correlation);
  const degrees = points.length / inflation - 1 - lives.length;
  const spread =
    residuals.reduce((sum, one) => sum + one ** 2, 0) / Math.max(1, points.length - 1 - lives.length);
  const squares = timeSquares(lives);
  const deviation = squares === 0 ? Infinity : Math.sqrt((spread * inflation) / squares);
  const half = Math.max(studentQuantile(degrees) * deviation, unit / spanOf(points));
  return { value: slope * hourMs, low: (slope - half) * hourMs, high: (slope + half) * hourMs };
}

/** Without the first part of each life. */
const after = (points: Points, warmMs: number): Points =>
  byLife(points).flatMap((own) => own.filter(({ atMs }) => atMs - (own[0]?.atMs ?? 0) >= warmMs));

const spanOf = (points: Points): number =>
  byLife(points).reduce((sum, own) => sum + (own.at(-1)?.atMs ?? 0) - (own[0]?.atMs ?? 0), 0);

const meanSize = (residuals: readonly number[]): number =>
  residuals.reduce((sum, one) => sum + Math.abs(one), 0) / Math.max(1, residuals.length);

const scatterOf = (points: Points): number => {
  const lives = byLife(points);
  return meanSize(residualsOf(lives, slopeOf(lives)));
};

/** The largest rise between two neighbors. */
function riseOf(points: Points): { readonly atMs: number; readonly by: number } {
  let largest = { atMs: 0, by: 0 };
  for (const own of byLife(points)) {
    for (const [at, { atMs, value }] of own.entries()) {
      const by = value - (own[at - 1]?.value ?? value);
      if (by > largest.by) largest = { atMs, by };
    }
  }
  return largest;
}

const without = (points: Points, { atMs, by }: { readonly atMs: number; readonly by: number }): Points => {
  const life = points.find((point) => point.atMs === atMs)?.life;
  return points.map((point) =>
    point.life === life && point.atMs >= atMs ? { ...point, value: point.value - by } : point,
  );
};

interface Judged {
  readonly warmMs: number;
  readonly own: Points;
  readonly line: Interval;
}

const judgedAfter = (points: Points, warmMs: number, { unit }: GrowthScale): Judged => {
  const own = after(points, warmMs);
  return { warmMs, own, line: lineOf(own, unit) };
};

const growthIn = ({ own, line }: Pick<Judged, 'own' | 'line'>): number => (line.value * spanOf(own)) / hourMs;

/** A single rise that stays, without which it is flat; null: it has none. */
function stepIn(judged: Judged, scale: GrowthScale): Pick<Growth, 'step' | 'perHour'> | null {
  const rise = riseOf(judged.own);
  const usual = medianOf(
    judged.own.slice(1).map(({ value }, at) => Math.abs(value - (judged.own[at]?.value ?? 0))),
  );
  if (rise.by < Math.max(scale.least, stepNoise * usual, stepShare * growthIn(judged))) return null;
  const [before, later] = [
    judged.own.filter(({ atMs }) => atMs < rise.atMs),
    judged.own.filter(({ atMs }) => atMs >= rise.atMs),
  ];
  const stays = medianOf(later.map(({ value }) => value)) - medianOf(before.map(({ value }) => value));
  const rest = judgedAfter(without(judged.own, rise), 0, scale);
  return stays < stepShare * rise.by || isGrowing(rest, scale) ? null : { step: rise, perHour: rest.line };
}

const isGrowing = (judged: Judged, { least }: GrowthScale): boolean =>
  judged.line.low > 0 && growthIn(judged) >= least;

/** How long the warm part may be, from the shortest. */
function warmParts(points: Points): readonly number[] {
  const [longest = points] = byLife(points).toSorted((one, other) => other.length - one.length);
  const begin = longest[0]?.atMs ?? 0;
  const [from, to] = [warm.least, warm.most].map((share) => Math.ceil(share * longest.length));
  return longest.slice(from, (to ?? 0) + 1).map(({ atMs }) => atMs - begin);
}

/** Where what follows is a line. */
function lineBegins(points: Points, parts: readonly number[], scale: GrowthScale): Judged {
  const noise = scale.least / 20;
  const scatter = (ms: number) => scatterOf(after(points, ms)) + noise;
  const last = scatter(parts.at(-1) ?? 0);
  return judgedAfter(points, parts.find((ms) => scatter(ms) <= bent * last) ?? parts.at(-1) ?? 0, scale);
}

/**
 * Whether a figure grows after its warm part, and how fast. Slopes are those of Theil and Sen over medians of blocks within one
 * life; intervals take into account that neighbors follow from one another. Pure.
 */
export function growthOf(all: Points, scale: GrowthScale): Growth {
  const points = joined(all);
  if (points.length < fewestPoints) return { verdict: 'unknown', perHour: null, sinceMs: 0, step: null };
  const begin = points[0]?.atMs ?? 0;
  const parts = warmParts(points);
  const found = (
    verdict: GrowthVerdict,
    { warmMs, line }: Judged,
    step: ReturnType<typeof stepIn> = null,
  ): Growth => ({
    ...{ verdict, perHour: line, sinceMs: begin + warmMs, step: null },
    ...step,
  });
  const lines = parts.map((ms) => judgedAfter(points, ms, scale));
  const [whole, end] = [lines[0], lines.at(-1)] as [Judged, Judged];
  const judged = isGrowing(end, scale) ? lineBegins(points, parts, scale) : whole;
  const step = stepIn(judged, scale);
  // A rise before is warm-up.
  if (step !== null && (step.step?.atMs ?? 0) > begin + end.warmMs) return found('step', judged, step);
  if (isGrowing(end, scale)) return found('grows', judged);
  // What grew before may still do so as fast.
  if (isGrowing(whole, scale) && end.line.high >= whole.line.value) return found('unclear', whole);
  const line = lineBegins(points, parts, scale);
  return found('flat', [line, ...lines].find((one) => !isGrowing(one, scale)) ?? end);
}
