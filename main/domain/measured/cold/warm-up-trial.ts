import type { TrialSide, WarmUpKind, WarmUpTrial } from '../../../contract/measured/cold-start';
import { type Column, count, ms, named, text } from '../../../contract/measured/column';
import { formatDuration, formatMs } from '../../../contract/numbers';
import type { RunState } from '../../../contract/run/run-state';
import { medianInterval, medianOf, smallestOf } from '../../statistics';
import { namedSizes, notReachedText } from './cold-start';

/**
 * `gone`: the first request takes what later ones do. `less`: it takes less than before. `unchanged`: no difference was
 * measured. `not-reached`: the same, and the warm-up lacks the batch size. `not-cold`: it was not slow before.
 */
type WarmUpEffect = 'gone' | 'less' | 'unchanged' | 'not-reached' | 'not-cold';

/** Microseconds; without an interval there were too few rounds for one. */
interface Measured {
  readonly medianUs: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

export interface TrialRow {
  readonly batchSize: number;
  readonly before: Measured;
  readonly after: Measured;
  /** Of the requests that followed, of both. */
  readonly steadyUs: number;
  /** What the warm-up takes off a first request, round by round. */
  readonly saved: Measured;
  readonly effect: WarmUpEffect;
}

/** A first request is slow that takes twice as long as those behind it, and so much longer. */
const slow = { times: 2, leastUs: 5000 };
/** Of what a first request takes more: what may be left where it is gone; a smaller difference does not count. */
const smallShare = 0.1;

const measured = (values: readonly number[]): Measured => ({
  medianUs: medianOf(values),
  interval: medianInterval(values),
});

const lowest = ({ interval }: Measured, values: readonly number[]): number =>
  interval?.low ?? smallestOf(values);

function effectOf(
  row: Omit<TrialRow, 'effect'>,
  isReached: boolean,
  savedUs: readonly number[],
): WarmUpEffect {
  const { before, after, steadyUs, saved } = row;
  const beforeUs = before.medianUs - steadyUs;
  if (before.medianUs < slow.times * steadyUs || beforeUs < slow.leastUs) return 'not-cold';
  const smallUs = smallShare * beforeUs;
  const isSaved = lowest(saved, savedUs) > 0 && saved.medianUs > smallUs;
  if (!isSaved) return isReached ? 'unchanged' : 'not-reached';
  return after.medianUs - steadyUs <= Math.max(slow.leastUs, smallUs) ? 'gone' : 'less';
}

type Of = TrialSide['requests'][number];

function rowOf(before: Of, after: Of, isReached: boolean): TrialRow {
  const savedUs = before.firstUs.flatMap((us, round) => {
    const warmUs = after.firstUs[round];
    return warmUs === undefined ? [] : [us - warmUs];
  });
  const row = {
    batchSize: before.batchSize,
    before: measured(before.firstUs),
    after: measured(after.firstUs),
    steadyUs: medianOf([...before.nextUs, ...after.nextUs]),
    saved: measured(savedUs),
  };
  return { ...row, effect: effectOf(row, isReached, savedUs) };
}

/** One per batch size that both sides answered. */
function trialRows({ before, after, warmUp }: WarmUpTrial): readonly TrialRow[] {
  return before.requests.flatMap((of) => {
    const other = after.requests.find(({ batchSize }) => batchSize === of.batchSize);
    return other === undefined || of.firstUs.length === 0 || other.firstUs.length === 0
      ? []
      : [rowOf(of, other, warmUp.includes(of.batchSize))];
  });
}

const effectText: Readonly<Record<WarmUpEffect, string>> = {
  gone: 'gone',
  less: 'less',
  unchanged: 'no difference',
  'not-reached': 'not reached',
  'not-cold': 'not slow before',
};

/** "312 [305, 320]", in milliseconds. */
function measuredText({ medianUs, interval }: Measured): string {
  const median = formatMs(medianUs);
  return interval === null ? median : `${median} [${formatMs(interval.low)}, ${formatMs(interval.high)}]`;
}

export const trialColumns: readonly Column<TrialRow>[] = [
  {
    ...named('trial-batch', 'Client Batch', 'Batch size', count),
    help: 'Items in the request.',
    read: ({ batchSize }) => batchSize,
  },
  {
    ...named('trial-before', 'Without warm-up (ms)', 'Without warm-up (ms)', text),
    help: 'First request after a fresh load: median of the rounds with its 95 % interval.',
    read: ({ before }) => measuredText(before),
  },
  {
    ...named('trial-after', 'With warm-up (ms)', 'With warm-up (ms)', text),
    help: 'The same with the warm-up.',
    read: ({ after }) => measuredText(after),
  },
  {
    ...named('trial-steady', 'Next requests (ms)', 'Next requests', ms),
    help: 'Median of the requests that followed on the same loads.',
    read: ({ steadyUs }) => steadyUs,
  },
  {
    ...named('trial-saved', 'Saved (ms)', 'Saved (ms)', text),
    help: 'Time that the warm-up saves at the first request, round by round: median with its 95 % interval.',
    read: ({ saved }) => measuredText(saved),
  },
  {
    ...named('trial-effect', 'Result', 'Result', text),
    help: 'Effect of the warm-up.',
    read: ({ effect }) => effectText[effect],
  },
];

const sizesBy = (rows: readonly TrialRow[], effect: WarmUpEffect): readonly number[] =>
  rows.filter((row) => row.effect === effect).map(({ batchSize }) => batchSize);

const madeOf: Readonly<Record<WarmUpKind, string>> = {
  ...{ zero: 'zeros', random: 'random values', samples: 'samples of the load' },
};

/** What came of it, in whole sentences, the answer first. */
function trialLines(trial: WarmUpTrial, rows: readonly TrialRow[]): readonly string[] {
  const { kind, warmUp, rounds, before, after } = trial;
  const lineOf = (effect: WarmUpEffect, line: (sizes: readonly number[]) => string): readonly string[] => {
    const sizes = sizesBy(rows, effect);
    return sizes.length === 0 ? [] : [line(sizes)];
  };
  const lines = [
    ...lineOf('gone', (sizes) => `With the warm-up the cold start is gone at ${namedSizes(sizes)}.`),
    ...lineOf(
      'less',
      (sizes) => `With the warm-up the first request is faster at ${namedSizes(sizes)}, and still slow.`,
    ),
    ...lineOf('not-reached', notReachedText),
    ...lineOf(
      'unchanged',
      (sizes) => `The warm-up covers ${namedSizes(sizes)}, but made no difference there.`,
    ),
    ...lineOf(
      'not-cold',
      (sizes) => `Without a warm-up the first request is not slow at ${namedSizes(sizes)}.`,
    ),
  ];
  return [
    ...(lines.length === 0 ? ['No batch size was answered both with and without the warm-up.'] : lines),
    `The model loads in ${formatDuration(medianOf(after.loadUs))} with the warm-up, and in ${formatDuration(medianOf(before.loadUs))} without.`,
    `Tried with ${madeOf[kind]} at ${namedSizes(warmUp)}, in ${rounds} rounds of fresh loads in turns, all sizes of a round after one load.`,
  ];
}

/** The warm-up that was tried beside a run; null: none was. */
export function trialOf({ warmUpTrial: trial }: Pick<RunState, 'warmUpTrial'>) {
  if (trial === null) return null;
  const rows = trialRows(trial);
  return { rows, lines: trialLines(trial, rows) };
}
