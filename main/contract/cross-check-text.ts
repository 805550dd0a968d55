import { valueText } from './column';
import type { CrossColumn, CrossLevel, CrossSide } from './cross-check';
import { fewestRounds } from './cross-check';
import { formatMeasured, formatShare, missing } from './numbers';
import { loadTools } from './run-spec';

/** In the unit that the tables have: inferences per second, or milliseconds. */
export const crossValue = (column: Pick<CrossColumn, 'id'>, value: number): string =>
  valueText({ kind: column.id === 'throughput' ? 'rate' : 'duration' }, value);

const unitOf = ({ id }: CrossColumn): string => (id === 'throughput' ? 'inferences/s' : 'ms');

/** "1.234 (1.2–1.3)", or "–". */
export function sideText(column: CrossColumn, side: CrossSide | null): string {
  if (side === null) return missing;
  const text = (value: number) => crossValue(column, value);
  return side.values.length === 1
    ? text(side.median)
    : `${text(side.median)} (${text(side.min)}–${text(side.max)})`;
}

export const verdictText = {
  agrees: 'within spread',
  differs: 'DIFFERS',
  'few-rounds': 'too few rounds',
  'one-sided': 'no comparison',
} as const;

function differenceText(column: CrossColumn): string {
  const { native, perf_analyzer: analyzer, ratio } = column;
  if (native === null || analyzer === null) return column.title;
  const by =
    ratio === null
      ? 'differs from'
      : ratio >= 2
        ? `is ${formatMeasured(ratio)} times`
        : `is ${formatShare(Math.abs(ratio - 1))} ${ratio > 1 ? 'above' : 'below'}`;
  const values = `${crossValue(column, native.median)} against ${crossValue(column, analyzer.median)} ${unitOf(column)}`;
  return `${column.title} of native ${by} that of perf_analyzer (${values})`;
}

/** What a level of a cross-check comes to: one plain sentence a finding. */
export function crossWords(level: CrossLevel): readonly string[] {
  const words: string[] = level.failed.map(
    ({ loadTool, repeat, message }) => `${loadTool} gave no result in round ${repeat}: ${message}`,
  );
  for (const tool of loadTools) {
    if (level.unsteady[tool] > 0)
      words.push(`${tool} was not steady in ${level.unsteady[tool]} of ${level.measured[tool]} rounds.`);
  }
  if (level.measured.native === 0 || level.measured.perf_analyzer === 0) {
    return [...words, 'There is nothing to compare at this level.'];
  }
  const by = (verdict: CrossColumn['verdict']) =>
    level.columns.filter((column) => column.verdict === verdict);
  if (by('few-rounds').length > 0) {
    words.push(`Fewer than ${fewestRounds} rounds of both tools: a difference cannot be told from chance.`);
    return words;
  }
  const differing = by('differs');
  const compared = differing.length + by('agrees').length;
  words.push(...differing.map((column) => `${differenceText(column)}.`));
  words.push(
    differing.length === 0
      ? `None of ${compared} columns differs beyond the spread of the rounds.`
      : `${compared - differing.length} of ${compared} columns do not differ beyond the spread of the rounds.`,
  );
  return words;
}

/** The whole cross-check in one sentence. */
export function crossSummary(levels: readonly CrossLevel[]): string {
  const differing = levels.filter((level) => level.columns.some(({ verdict }) => verdict === 'differs'));
  const failed = levels.filter((level) => level.failed.length > 0).length;
  const undecided = levels.filter((level) =>
    level.columns.every(({ verdict }) => verdict === 'few-rounds' || verdict === 'one-sided'),
  ).length;
  const titles = [
    ...new Set(
      differing.flatMap((level) =>
        level.columns.flatMap(({ title, verdict }) => (verdict === 'differs' ? [title] : [])),
      ),
    ),
  ];
  const decided = levels.length - undecided;
  const found =
    decided === 0
      ? 'At no level can the two tools be compared'
      : differing.length === 0
        ? `The two tools do not differ beyond the spread of the rounds, at any of ${decided} levels`
        : `The two tools differ at ${differing.length} of ${decided} levels, in ${titles.join(', ')}`;
  const failures = failed === 0 ? '' : `; at ${failed} a measurement failed`;
  return `${found}${failures}.`;
}
