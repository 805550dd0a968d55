import type { ComparedOutput } from '../../../contract/measured/output-rules';
import { formatFixed, formatScale } from '../../../contract/numbers';
import type { Searched, ServedPlace } from '../../../contract/study/search';
import type { Upgraded, UpgradeNumber, UpgradeStrategy } from '../../../contract/study/upgrade';
import type { Outcome } from '../../measured/comparison-gate';
import { medianOf } from '../../statistics';
import { ratioText, sideFigures } from '../duel/duel-answer';
import { faultySide, pairsOf, secondsOf } from '../duel/duel-rounds';
import type { JudgedQuestion } from '../duel/judge-duel';
import { capital } from '../soak/soak-text';
import { servingFailure } from './load-reason';
import { judgeUpgrade } from './upgrade-rounds';

/** A serving environment with what was measured of it. */
export interface UpgradeRow extends ReturnType<typeof sideFigures> {
  readonly title: string;
  readonly tritonVersion: string | null;
  /** Medians of the loads, milliseconds and microseconds. */
  readonly loadMs: number | null;
  readonly firstUs: number | null;
  readonly firstLargestUs: number | null;
  readonly hostBytes: number | null;
  readonly gpuBytes: number | null;
}

/** One output at one batch size. */
export interface UpgradeOutputRow extends ComparedOutput {
  readonly batchSize: number;
  /** It differs from itself, so that a difference tells nothing. */
  readonly varies: boolean;
}

export type UpgradeVerdict = 'may-move' | 'do-not-move' | 'unclear' | 'unknown';

export interface UpgradeAnswer {
  readonly verdict: UpgradeVerdict;
  /** null: it did not come that far. */
  readonly outcome: Outcome | null;
  /** Why not, a clause each. */
  readonly reasons: readonly string[];
  readonly judged: readonly JudgedQuestion[];
  readonly differences: readonly JudgedQuestion[];
  readonly rows: readonly [UpgradeRow, UpgradeRow];
  readonly outputs: readonly UpgradeOutputRow[];
  /** Seconds of load. */
  readonly seconds: number;
  readonly places: readonly ServedPlace[];
  readonly sentence: string;
  /** What else is to be known, without a full stop. */
  readonly notes: readonly string[];
}

const median = (values: readonly number[]): number | null => (values.length === 0 ? null : medianOf(values));
const known = (values: readonly (number | null | undefined)[]): readonly number[] =>
  values.filter((value) => typeof value === 'number');

function rowOf(upgrade: UpgradeStrategy, { upgraded, searched }: Known, number: UpgradeNumber): UpgradeRow {
  const own = upgraded.loads.filter(({ side }) => side === number);
  const [smallest, ...larger] = upgrade.batchSizes;
  const first = (size: number | undefined) =>
    median(known(own.map(({ firstUs }) => firstUs.find(({ batchSize }) => batchSize === size)?.us)));
  return {
    ...sideFigures(searched, number),
    title: upgrade.sides[number - 1]?.title ?? '',
    tritonVersion: upgraded.served[number]?.place.tritonVersion ?? null,
    loadMs: median(own.map(({ loadMs }) => loadMs)),
    ...{ firstUs: first(smallest), firstLargestUs: first(larger.at(-1)) },
    hostBytes: median(known(own.map(({ hostBytes }) => hostBytes))),
    gpuBytes: median(known(own.map(({ gpuBytes }) => gpuBytes))),
  };
}

const outputRows = ({ outputs }: Upgraded): readonly UpgradeOutputRow[] =>
  (outputs?.between ?? []).flatMap(({ batchSize, outputs: compared, varying }) =>
    compared.map((one) => ({ ...one, batchSize, varies: varying.includes(one.output) })),
  );

/** "output logits differs by 0.012 at batch 8" */
function outputReasons(rows: readonly UpgradeOutputRow[]): readonly string[] {
  const failed = rows.filter(({ passed, varies }) => !passed && !varies);
  return [...new Set(failed.map(({ output }) => output))].map((name) => {
    const own = failed.filter(({ output }) => output === name);
    const worst = own.reduce((a, b) => ((b.maxAbsDiff ?? 0) > (a.maxAbsDiff ?? 0) ? b : a));
    const { maxAbsDiff, nanCount, infCount, reason } = worst;
    const isOdd = nanCount + infCount > 0 || maxAbsDiff === null || maxAbsDiff === 0;
    const by = isOdd ? '' : ` by ${formatScale(maxAbsDiff)}`;
    const why = isOdd && reason !== null ? ` (${reason})` : '';
    return `output ${name} differs${by} at batch ${own.map(({ batchSize }) => batchSize).join(', ')}${why}`;
  });
}

/** Reasons against a move, and notes: a side that never agreed is not made worse by it. */
function referenceLines({ outputs }: Upgraded): {
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
} {
  const of = (number: UpgradeNumber) => outputs?.reference.find(({ side }) => side === number);
  const [before, after] = [of(1), of(2)];
  if (before === undefined || after?.difference === null || after === undefined) {
    return { reasons: [], notes: [] };
  }
  return before.difference === null
    ? { reasons: [`it does not answer ${after.difference}`], notes: [] }
    : { reasons: [], notes: [`Neither agrees with the reference: A does not answer ${before.difference}`] };
}

const sign = (value: number, text: string): string => (value < 0 ? `−${text}` : `+${text}`);

/** "−3 % ± 2" of a ratio of 0.97; empty: not known. */
export function percentText({ ratio, low, high }: Pick<JudgedQuestion, 'ratio' | 'low' | 'high'>): string {
  if (ratio === null) return '';
  const half = low === null || high === null ? null : 50 * (high - low);
  const digits = half !== null && half < 1 ? 1 : 0;
  const value = 100 * (ratio - 1);
  const size = `${sign(value, formatFixed(Math.abs(value), digits).replace('<', ''))} %`;
  return half === null ? size : `${size} ± ${formatFixed(half, digits).replace('<', '')}`;
}

const metricWord = { throughput: 'throughput', p99: 'p99' } as const;

const criterionReason = (question: JudgedQuestion): string =>
  `${metricWord[question.metric]} ${percentText(question)} (${question.criterion ?? ''})`;

/** Less is noise of a load, and nobody waits for it. */
const slowerFrom = { ratio: 1.2, ms: 100 } as const;
const moreMemoryFrom = { ratio: 1.05, bytes: 10e6 } as const;

function timesText(what: string, before: number | null, after: number | null): readonly string[] {
  if (before === null || after === null || Math.abs(after - before) < slowerFrom.ms) return [];
  const ratio = Math.max(after, before) / Math.max(1e-9, Math.min(after, before));
  if (ratio < slowerFrom.ratio) return [];
  return [`${what} ${formatFixed(ratio, 1)} times ${after > before ? 'slower' : 'faster'}`];
}

function memoryText(what: string, before: number | null, after: number | null): readonly string[] {
  if (before === null || after === null || after - before < moreMemoryFrom.bytes) return [];
  if (after / Math.max(1, before) < moreMemoryFrom.ratio) return [];
  return [`takes ${formatFixed((after - before) / 1e6, 0)} MB more ${what}`];
}

/** "loads 3.1 times slower", what changes without being judged. */
function changesOf([a, b]: readonly [UpgradeRow, UpgradeRow]): readonly string[] {
  const ms = (us: number | null) => (us === null ? null : us / 1000);
  return [
    ...timesText('loads', a.loadMs, b.loadMs),
    ...timesText('answers first', ms(a.firstUs), ms(b.firstUs)),
    ...memoryText('memory', a.hostBytes, b.hostBytes),
    ...memoryText('GPU memory', a.gpuBytes, b.gpuBytes),
  ];
}

interface Known {
  readonly upgraded: Upgraded;
  readonly searched: Searched;
}

function reasonsOf(
  upgrade: UpgradeStrategy,
  { upgraded, searched }: Known,
  rows: readonly [UpgradeRow, UpgradeRow],
): readonly string[] {
  const { criteria } = judgeUpgrade(upgrade, pairsOf(searched));
  const failed = searched.failed[2];
  const isFaulty = faultySide(upgrade, searched) === 2;
  const differing = outputReasons(outputRows(upgraded));
  return [
    ...upgrade.findings.filter(({ blocks }) => blocks).map(({ text }) => text),
    ...(failed === undefined ? [] : [`${rows[1].title} cannot serve it: ${servingFailure(failed)}`]),
    ...differing,
    // Said once: what differs from the other differs from the reference, too.
    ...(differing.length === 0 ? referenceLines(upgraded).reasons : []),
    ...(isFaulty ? [`more requests failed than permitted (${rows[1].errors})`] : []),
    ...criteria.filter(({ outcome }) => outcome === 'outside').map(criterionReason),
  ];
}

function verdictOf(
  upgrade: UpgradeStrategy,
  { upgraded, searched }: Known,
  reasons: readonly string[],
): UpgradeVerdict {
  if (reasons.length > 0) return 'do-not-move';
  if (searched.failed[1] !== undefined || upgraded.outputs === null) return 'unknown';
  const pairs = pairsOf(searched);
  if (pairs.length === 0) return 'unknown';
  const isSound = faultySide(upgrade, searched) === null;
  const { criteria } = judgeUpgrade(upgrade, pairs);
  return isSound && criteria.every(({ outcome }) => outcome === 'within') ? 'may-move' : 'unclear';
}

function unclearText(upgrade: UpgradeStrategy, { searched }: Known, [a]: readonly [UpgradeRow, UpgradeRow]) {
  if (faultySide(upgrade, searched) === 1)
    return `more requests of ${a.title} failed than permitted (${a.errors})`;
  const { criteria } = judgeUpgrade(upgrade, pairsOf(searched));
  return criteria
    .filter(({ outcome }) => outcome === 'unclear')
    .map((one) => `${one.criterion ?? ''}, ${ratioText(one)}`)
    .join('; ');
}

function sentenceOf(
  upgrade: UpgradeStrategy,
  known: Known,
  verdict: UpgradeVerdict,
  { rows, reasons, differences }: Pick<UpgradeAnswer, 'rows' | 'reasons' | 'differences'>,
): string {
  const [a, b] = rows;
  const failed = known.searched.failed[1];
  switch (verdict) {
    case 'do-not-move':
      return `Do not move: ${reasons.join('; ')}`;
    case 'may-move': {
      const told = differences.map((one) => `${metricWord[one.metric]} ${percentText(one)}`);
      return `Ready to move: ${[told.join(', '), ...changesOf(rows)].join('; ')}`;
    }
    case 'unclear':
      return `Inconclusive: ${unclearText(upgrade, known, rows)}`;
    case 'unknown':
      return failed === undefined
        ? `${upgrade.title} from ${a.title} to ${b.title}`
        : `Not compared: ${a.title} cannot serve it: ${servingFailure(failed)}`;
  }
}

const outcomes = {
  'may-move': 'within',
  'do-not-move': 'outside',
  unclear: 'unclear',
  unknown: null,
} as const;

function notesOf(upgrade: UpgradeStrategy, upgraded: Upgraded, rows: readonly UpgradeOutputRow[]) {
  const varying = [...new Set(rows.filter(({ varies }) => varies).map(({ output }) => output))];
  const { reference = [] } = upgraded.outputs ?? {};
  const isUnchecked = upgraded.outputs !== null && reference.every(({ samples }) => samples === 0);
  return [
    ...upgrade.findings.filter(({ blocks }) => !blocks).map(({ text }) => text),
    ...varying.map((output) => `${output} changes from request to request, so its difference is not judged`),
    ...referenceLines(upgraded).notes,
    ...(outputReasons(rows).length === 0 ? [] : referenceLines(upgraded).reasons.map(capital)),
    ...(isUnchecked
      ? ['The run kept no outputs of its framework: they are compared only with each other']
      : []),
  ];
}

/** What is known so far, in words and figures. Pure. */
export function upgradeAnswer(
  upgrade: UpgradeStrategy,
  upgraded: Upgraded,
  searched: Searched,
): UpgradeAnswer {
  const known = { upgraded, searched };
  const rows = [rowOf(upgrade, known, 1), rowOf(upgrade, known, 2)] as const;
  const { criteria: judged, differences } = judgeUpgrade(upgrade, pairsOf(searched));
  const reasons = reasonsOf(upgrade, known, rows);
  const verdict = verdictOf(upgrade, known, reasons);
  const outputs = outputRows(upgraded);
  return {
    ...{ verdict, outcome: outcomes[verdict], reasons, judged, differences, rows, outputs },
    seconds: secondsOf(searched),
    places: ([1, 2] as const).flatMap((side) => upgraded.served[side]?.place ?? []),
    sentence: sentenceOf(upgrade, known, verdict, { rows, reasons, differences }),
    notes: notesOf(upgrade, upgraded, outputs),
  };
}
