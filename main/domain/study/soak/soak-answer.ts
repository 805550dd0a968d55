import { formatCount, formatMs, formatRate } from '../../../contract/numbers';
import type { ServedPlace } from '../../../contract/study/search';
import type { Soaked, SoakFigure, SoakSlice, SoakStrategy } from '../../../contract/study/soak';
import type { Outcome } from '../../measured/comparison-gate';
import { largestOf, medianOf } from '../../statistics';
import { elsewhereText } from '../place-text';
import { type JudgedCriterion, judgeSoak, outcomeOfSoak, parseSoakCriterion } from './soak-criteria';
import { type SoakRow, soakRowsOf } from './soak-rows';
import { amountOf, capital, nounOf, sinceText, slopeText } from './soak-text';

/** What is concluded from growth of a process; the others are figures of a table. */
const judgedFigures = ['rss', 'gpu', 'shm', 'handles', 'threads'] as const;

/** A process that grows, and what of it. */
export interface SoakCulprit {
  readonly row: SoakRow;
  readonly figure: SoakFigure;
}

export type SoakVerdict = 'grows' | 'step' | 'unclear' | 'flat' | 'unknown';

export interface SoakAnswer {
  readonly verdict: SoakVerdict;
  /** The worst first. */
  readonly culprits: readonly SoakCulprit[];
  readonly rows: readonly SoakRow[];
  readonly slices: readonly SoakSlice[];
  readonly judged: readonly JudgedCriterion[];
  /** Of the criteria; null: there are none. */
  readonly outcome: Outcome | null;
  /** Milliseconds under load. */
  readonly soakedMs: number;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly place: ServedPlace | null;
  readonly sentence: string;
  /** On throughput, latency and failed requests, without a full stop. */
  readonly loadSentence: string | null;
  readonly notes: readonly string[];
}

const isOfServer = ({ role }: SoakRow): boolean => role !== 'client';

/** Bytes before counts, then by size. */
const sizeOf = ({ row, figure }: SoakCulprit): number =>
  (row.growth[figure].perHour?.value ?? 0) * (figure === 'handles' || figure === 'threads' ? 1e-9 : 1);

function withVerdict(rows: readonly SoakRow[], verdict: SoakVerdict): readonly SoakCulprit[] {
  return rows
    .flatMap((row) =>
      judgedFigures
        .filter((figure) => row.growth[figure].verdict === verdict)
        .map((figure) => ({ row, figure })),
    )
    .filter(
      // What it maps of /dev/shm is resident, too.
      ({ row, figure }) => figure !== 'shm' || row.growth.rss.verdict !== verdict,
    )
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
}

function growsText({ row, figure }: SoakCulprit): string {
  const per = row.reloadsPerHour > 0 && row.role === 'server' ? 'reload' : '1000';
  const first = slopeText(row, figure, per) ?? slopeText(row, figure, 'h') ?? '';
  const hourly = amountOf(figure, row.growth[figure].perHour?.value ?? 0);
  const also = first.includes('per hour') ? '' : `, ${hourly} ${nounOf(figure)} per hour at this load`;
  return `${capital(row.title)} grows by ${first}${also}`;
}

function flatText(rows: readonly SoakRow[]): string {
  const known = rows.filter(({ growth }) => growth.rss.perHour !== null);
  const most = largestOf(known.map(({ growth }) => growth.rss.perHour?.high ?? 0));
  const since = sinceText(largestOf(known.map(({ growth }) => growth.rss.sinceMs)));
  const limit = amountOf('rss', Math.max(most, 1000));
  return `Flat since ${since}: no process of the server grows by more than ${limit} MB per hour`;
}

const stepText = ({ row, figure }: SoakCulprit): string => {
  const { step } = row.growth[figure];
  return `${capital(row.title)} rose once, by ${amountOf(figure, step?.by ?? 0)} ${nounOf(figure)} at ${sinceText(step?.atMs ?? 0)}, and is flat otherwise`;
};

const unclearText = ({ row, figure }: SoakCulprit): string =>
  `Inconclusive: ${row.title} grew by ${slopeText(row, figure, 'h') ?? ''}, and may have stopped: soak longer to find out`;

function sentenceOf(
  verdict: SoakVerdict,
  culprits: readonly SoakCulprit[],
  rows: readonly SoakRow[],
): string {
  const [first] = culprits;
  switch (verdict) {
    case 'grows':
      return culprits.map(growsText).join('; ');
    case 'step':
      return first === undefined ? '' : stepText(first);
    case 'unclear':
      return first === undefined ? '' : unclearText(first);
    case 'flat':
      return flatText(rows);
    case 'unknown':
      return rows.length === 0
        ? 'No memory of the server was read yet'
        : 'Too few readings yet to judge whether memory grows';
  }
}

function verdictOf(rows: readonly SoakRow[]): SoakVerdict {
  for (const verdict of ['grows', 'step', 'unclear'] as const) {
    if (withVerdict(rows, verdict).length > 0) return verdict;
  }
  return rows.some(({ growth }) => growth.rss.verdict === 'flat' || growth.gpu.verdict === 'flat')
    ? 'flat'
    : 'unknown';
}

/** p99 of the first and of the last third of the slices, microseconds; null: of none is it known. Pure. */
export function p99EndsOf(
  slices: readonly SoakSlice[],
): { readonly first: number; readonly last: number } | null {
  const p99s = slices.flatMap(({ p99Us }) => p99Us ?? []);
  if (p99s.length === 0) return null;
  const part = Math.max(1, Math.floor(p99s.length / 3));
  return { first: medianOf(p99s.slice(0, part)), last: medianOf(p99s.slice(-part)) };
}

/** ", 5 failed, 2 were refused"; empty: all were answered. Pure. */
export const unansweredText = ({ errors, refused = 0 }: Pick<SoakSlice, 'errors' | 'refused'>): string =>
  [
    ...(errors === 0 ? [] : [`, ${formatCount(errors)} failed`]),
    ...(refused === 0 ? [] : [`, ${formatCount(refused)} refused`]),
  ].join('');

function loadText(
  slices: readonly SoakSlice[],
  { requests, errors, refused }: Pick<SoakAnswer, 'requests' | 'errors' | 'refused'>,
): string | null {
  if (slices.length === 0) return null;
  const ends = p99EndsOf(slices);
  const known = slices.filter(({ p99Us }) => p99Us !== null);
  const rate = medianOf(slices.map(({ inferencesPerSecond }) => inferencesPerSecond));
  const latency =
    ends === null || known.length < 2
      ? `p99 ${formatMs(ends?.last)} ms`
      : `p99 ${formatMs(ends.first)} ms at first, ${formatMs(ends.last)} ms at the end`;
  const all = formatCount(requests + errors + refused);
  const failed = errors === 0 ? '' : `; ${formatCount(errors)} of ${all} requests failed`;
  const turnedAway = refused === 0 ? '' : `; ${formatCount(refused)} of ${all} requests were refused`;
  return `${formatCount(requests)} requests at ${formatRate(rate)} inferences/s, ${latency}${failed}${turnedAway}`;
}

function notesOf(rows: readonly SoakRow[]): readonly string[] {
  const client = rows.find(({ role }) => role === 'client');
  return [
    ...(client?.growth.rss.verdict === 'grows'
      ? [
          `The load generator itself grows by ${slopeText(client, 'rss', 'h') ?? ''}; that is not memory of the server`,
        ]
      : []),
    ...(rows.some(({ role }) => role === 'machine')
      ? [
          'The processes of the server cannot be read from here: its metrics report the memory of the whole machine',
        ]
      : []),
  ];
}

const unansweredSentence = 'Inconclusive: no request was answered, so memory was not read under load';

/** What is known so far, in words and figures. Pure. */
export function soakAnswer(
  soak: SoakStrategy,
  { blocks, slices }: Soaked,
  place: ServedPlace | null,
): SoakAnswer {
  const rows = soakRowsOf({ blocks });
  const own = rows.filter(isOfServer);
  const sum = (read: (slice: SoakSlice) => number): number => slices.reduce((all, one) => all + read(one), 0);
  const counts = {
    ...{ requests: sum((slice) => slice.requests), errors: sum((slice) => slice.errors) },
    refused: sum((slice) => slice.refused ?? 0),
  };
  const isUnanswered = counts.requests === 0 && counts.errors + counts.refused > 0;
  const found = verdictOf(own);
  // Memory that does not grow while nothing is answered says nothing.
  const verdict = isUnanswered && found !== 'grows' ? 'unknown' : found;
  const culprits = verdict === 'flat' || verdict === 'unknown' ? [] : withVerdict(own, verdict);
  const judged = judgeSoak(soak.criteria.map(parseSoakCriterion), own).map((one) =>
    isUnanswered && one.outcome === 'within' ? { ...one, outcome: 'unclear' as const } : one,
  );
  const sentence =
    isUnanswered && verdict === 'unknown' ? unansweredSentence : sentenceOf(verdict, culprits, own);
  return {
    ...{ verdict, culprits, rows, slices, judged, outcome: outcomeOfSoak(judged), ...counts, place },
    soakedMs: soakedMsOf({ blocks, slices }),
    sentence: `${sentence}${elsewhereText(place)}`,
    loadSentence: loadText(slices, counts),
    notes: notesOf(rows),
  };
}

/** How long it has been under load, milliseconds. Pure. */
export const soakedMsOf = ({ blocks, slices }: Soaked): number =>
  Math.max(0, largestOf([...blocks, ...slices].map(({ toMs }) => toMs)));
