import type { LoadPoint, pointFlags } from './measured/results';
import { refusedCount } from './measured/timeline';
import { formatCount, formatShortShare } from './numbers';

const plain = /^[\w@%+=:,./-]+$/;

export const shellWord = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

export function shellLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}

type PointFlag = (typeof pointFlags)[number];

/** Throughput and latency of a level with one of these would differ if it were measured again. */
const unsteadyFlags: ReadonlySet<PointFlag> = new Set([
  'unstable',
  'drifting',
  'server-restarted',
  'over-saturated',
]);

const flagWord: Readonly<Record<PointFlag, string>> = {
  unstable: 'not steady',
  drifting: 'not steady',
  'server-restarted': 'not steady',
  errors: 'errors',
  'wrong-responses': 'wrong responses',
  'not-finite': 'NaN or infinite values',
  'client-saturated': 'client-limited',
  'machine-busy': 'machine busy',
  'rate-not-reached': 'rate not reached',
  'clocks-throttled': 'clocks throttled',
  'gpu-idle': 'GPU idle',
  refused: 'refusals',
  'over-saturated': 'over-saturated',
};

type CountedFlag = 'errors' | 'wrong-responses' | 'not-finite' | 'refused';

const flagText: Readonly<Record<Exclude<PointFlag, CountedFlag>, string>> = {
  unstable: 'Not steady: throughput or latency still changed after the last allowed window.',
  'client-saturated': 'Client-limited: the load generator was the limit, so the server may be faster.',
  'machine-busy':
    'Machine busy: other work on this machine held up the load generator, so latencies may read too high.',
  'server-restarted': 'Not steady: the server restarted while this level was measured.',
  drifting: 'Not steady: throughput or latency moved one way over the merged windows.',
  'rate-not-reached':
    'Rate not reached: the server is slower than the request rate, so not all requests could be sent.',
  'clocks-throttled':
    'Clocks throttled: power, temperature or the hardware held the clocks of a GPU down, so a cooler or less limited one is faster.',
  'gpu-idle':
    'GPU idle: Triton computed most of the time while its GPU was busy for less than 5 % of it, so the work is on the CPU, or kernels are selected again for each batch size.',
  'over-saturated':
    'Over-saturated: requests in flight and latency rose without end, so the level ended early; the server answers fewer requests than were due.',
};

type Judged = Pick<LoadPoint, 'stable' | 'flags'>;
type Counted = Pick<
  LoadPoint,
  'requestCount' | 'errorCount' | 'refused' | 'outputChecks' | 'sharedMemory' | 'notFinite'
>;

/** "1.2 %"; "more than 1 %" just above, as "1.0 %" would not show that a limit of 1 % is exceeded. */
function failedShare(share: number): string {
  const percent = share * 100;
  const above = percent - Math.round(percent);
  return percent >= 1 && percent < 9.95 && above > 1e-9 && above < 0.05
    ? `more than ${formatCount(Math.round(percent))} %`
    : formatShortShare(share);
}

const sentCount = (point: Counted): number =>
  (point.requestCount ?? 0) + point.errorCount + refusedCount(point);

/** "50 % of the requests failed"; "12 requests failed" where the total is not known. */
const failedText = (point: Counted): string =>
  point.requestCount === null
    ? `${formatCount(point.errorCount)} requests failed`
    : `${failedShare(point.errorCount / Math.max(1, sentCount(point)))} of the requests failed`;

/** "41 % of the requests were refused". */
const refusedText = (point: Counted): string =>
  `${failedShare(refusedCount(point) / Math.max(1, sentCount(point)))} of the requests were refused`;

/** "12 of 1,000 requests failed (1.2 %)" of a level that is not faulty for it; null where none failed. */
export function permittedFailuresText(point: Counted & Pick<LoadPoint, 'flags'>): string | null {
  const { errorCount, requestCount, flags } = point;
  if (errorCount === 0 || flags.includes('errors')) return null;
  if (requestCount === null) return failedText(point);
  const all = sentCount(point);
  const share = errorCount / all;
  const percent = share < 0.0005 ? 'less than 0.1 %' : formatShortShare(share);
  return `${formatCount(errorCount)} of ${formatCount(all)} requests failed (${percent})`;
}

function wrongText({ outputChecks, sharedMemory }: Counted): string {
  const wrong = (outputChecks?.wrongCount ?? 0) + (sharedMemory?.wrongCount ?? 0);
  const checked = (outputChecks?.checkedCount ?? 0) + (sharedMemory?.checkedCount ?? 0);
  const are = wrong === 1 ? 'is' : 'are';
  if (wrong < checked)
    return `${formatCount(wrong)} of ${formatCount(checked)} checked responses ${are} wrong`;
  return checked === 1
    ? 'the only checked response is wrong'
    : `all ${formatCount(checked)} checked responses are wrong`;
}

/** "NaN or infinite values in 3 of 8 responses". */
export const notFiniteText = ({ notFinite }: Counted): string =>
  notFinite === undefined
    ? 'NaN or infinite values in responses'
    : `NaN or infinite values in ${formatCount(notFinite.count)} of ${formatCount(notFinite.checkedCount)} responses`;

/** A journaled point that is not stable always has `unstable` among its flags. */
const flagsOf = ({ stable, flags }: Judged): readonly PointFlag[] =>
  !stable && !flags.includes('unstable') ? ['unstable', ...flags] : flags;

/** Stable, without drift or server restart: a repeated measurement would agree. */
export const isSteady = (point: Judged): boolean => !flagsOf(point).some((flag) => unsteadyFlags.has(flag));

/** More failed or refused requests than permitted, or wrong responses: the level is not an answer, whatever its figures. */
export const isFaulty = ({ flags }: Pick<LoadPoint, 'flags'>): boolean =>
  flags.includes('errors') || flags.includes('wrong-responses') || flags.includes('refused');

/** Longer windows would have shown a higher latency, without an end. */
export const isOverSaturated = ({ flags }: Pick<LoadPoint, 'flags'>): boolean =>
  flags.includes('over-saturated');

/** "50 % of the requests failed", "all 9 checked responses are wrong". */
export const faultText = (point: Counted & Pick<LoadPoint, 'flags'>): string =>
  [
    ...(point.flags.includes('errors') ? [failedText(point)] : []),
    ...(point.flags.includes('wrong-responses') ? [wrongText(point)] : []),
    ...(point.flags.includes('refused') ? [refusedText(point)] : []),
  ].join(', ');

/** Steady and not {@link isFaulty}: a basis for decisions. */
export const isSound = (point: Judged): boolean => isSteady(point) && !isFaulty(point);

export const reasonsOf = (point: Judged & Counted): readonly string[] =>
  flagsOf(point).map((flag) => {
    if (flag === 'errors') return `Errors: ${failedText(point)}.`;
    if (flag === 'wrong-responses') return `Wrong responses: ${wrongText(point)}.`;
    if (flag === 'refused') return `Refusals: ${refusedText(point)}.`;
    if (flag !== 'not-finite') return flagText[flag];
    return `${notFiniteText(point)}${point.notFinite === undefined ? '' : `: ${point.notFinite.message}`}.`;
  });

export const marksOf = (point: Judged): readonly string[] => [
  ...new Set(flagsOf(point).map((flag) => flagWord[flag])),
];

/** As `marksOf`, with counts: "50 % of the requests failed" in place of "errors". */
export const countedMarksOf = (point: Judged & Counted): readonly string[] => {
  const texts: Readonly<Record<string, string>> = {
    [flagWord.errors]: failedText(point),
    [flagWord['wrong-responses']]: wrongText(point),
    [flagWord['not-finite']]: notFiniteText(point),
    [flagWord.refused]: refusedText(point),
  };
  return marksOf(point).map((mark) => texts[mark] ?? mark);
};

/** "steady", "steady, client-limited", "not steady, errors". */
export const stateWords = (point: Judged): string =>
  [...(isSteady(point) ? ['steady'] : []), ...marksOf(point)].join(', ');
