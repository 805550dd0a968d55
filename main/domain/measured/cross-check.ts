import { isSteady } from '../../contract/flag-text';
import { type Column, valueText } from '../../contract/measured/column';
import { components, latencies, throughput } from '../../contract/measured/columns';
import { clientCpuPerRequest } from '../../contract/measured/detail-columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatMeasured, formatShare, missing } from '../../contract/numbers';
import type { Scenario } from '../../contract/run/run-events';
import { performanceOf } from '../../contract/run/run-source';
import { type LoadTool, loadTools } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { byLoad, fewestRounds, loadKey, type LoadLevel, ofScenario } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { largestOf, meanInterval, medianOf, smallestOf } from '../statistics';

export interface CrossSide {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** In the order of the rounds. */
  readonly values: readonly number[];
}

/** `few-rounds`: too few measurements of both tools; `one-sided`: one tool lacks the column. */
type CrossVerdict = 'agrees' | 'differs' | 'few-rounds' | 'one-sided';

/** Throughput in inferences per second, the others in microseconds. */
export interface CrossColumn {
  readonly id: string;
  readonly title: string;
  readonly native: CrossSide | null;
  readonly perf_analyzer: CrossSide | null;
  /** Median of the built-in load generator over that of perf_analyzer; null without both, or where the latter is 0. */
  readonly ratio: number | null;
  readonly verdict: CrossVerdict;
}

interface CrossFailure {
  readonly loadTool: LoadTool;
  readonly repeat: number;
  readonly message: string;
}

export interface CrossLevel extends LoadLevel {
  readonly text: string;
  /** Measurements per tool, and those that did not become steady. */
  readonly measured: Readonly<Record<LoadTool, number>>;
  readonly unsteady: Readonly<Record<LoadTool, number>>;
  readonly failed: readonly CrossFailure[];
  readonly columns: readonly CrossColumn[];
}

const crossColumns: readonly Column[] = [throughput, ...latencies, ...components, clientCpuPerRequest];

/** null: not reported. */
const valueOf = (column: Column, point: LoadPoint): number | null => {
  const value = column.read(point);
  return typeof value === 'number' ? value : null;
};

interface CrossInput {
  readonly points: readonly LoadPoint[];
  readonly missing: readonly (LoadLevel & {
    readonly repeat?: number | undefined;
    readonly loadTool?: LoadTool | undefined;
    readonly error: { readonly message: string };
  })[];
}

/** perf_analyzer rounds times to microseconds and throughput to six digits. */
const resolutionOf = (id: string, value: number): number => (id === 'throughput' ? 1e-5 * value : 1);

function sideOf(column: Column, points: readonly LoadPoint[]): CrossSide | null {
  const values = points.flatMap((point) => valueOf(column, point) ?? []);
  if (values.length === 0 || values.length < points.length) return null;
  return { median: medianOf(values), min: smallestOf(values), max: largestOf(values), values };
}

/**
 * Differ: disjoint ranges, and the 95 % interval of the differences per round excludes 0, both beyond perf_analyzer's
 * rounding. Rounds are compared pairwise since they drift together.
 */
function verdictOf(
  column: Column,
  native: readonly LoadPoint[],
  analyzer: readonly LoadPoint[],
): CrossVerdict {
  const differences: number[] = [];
  for (const point of native) {
    const other = analyzer.find((candidate) => candidate.repeat === point.repeat);
    const value = valueOf(column, point);
    const beside = other === undefined ? null : valueOf(column, other);
    if (value !== null && beside !== null) differences.push(value - beside);
  }
  const [ours, theirs] = [sideOf(column, native), sideOf(column, analyzer)];
  if (ours === null || theirs === null) return 'one-sided';
  const interval = meanInterval(differences);
  if (interval === null) return 'few-rounds';
  const resolution = resolutionOf(column.id, theirs.max);
  const apart = ours.min > theirs.max + resolution || theirs.min > ours.max + resolution;
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return apart && Math.abs(mean) > interval + resolution ? 'differs' : 'agrees';
}

/** By level and column, including levels that a tool failed to measure. */
export function crossCheck({ points, missing }: CrossInput): readonly CrossLevel[] {
  const levels = new Map<string, LoadLevel>();
  for (const { batchSize, concurrency, requestRate } of [...points, ...missing]) {
    const level = { batchSize, concurrency, ...(requestRate === undefined ? {} : { requestRate }) };
    levels.set(loadKey(level), level);
  }
  return [...levels].map(([key, level]) => {
    const of = (tool: LoadTool) =>
      points.filter((point) => loadKey(point) === key && point.loadTool === tool);
    const [native, analyzer] = [of('native'), of('perf_analyzer')];
    const unsteady = (all: readonly LoadPoint[]) => all.filter((point) => !isSteady(point)).length;
    return {
      ...level,
      text: levelText(level),
      measured: { native: native.length, perf_analyzer: analyzer.length },
      unsteady: { native: unsteady(native), perf_analyzer: unsteady(analyzer) },
      failed: missing
        .filter((hole) => loadKey(hole) === key)
        .map((hole) => ({
          loadTool: hole.loadTool ?? 'native',
          repeat: hole.repeat ?? 1,
          message: hole.error.message,
        })),
      columns: crossColumns.map((column) => {
        const [ours, theirs] = [sideOf(column, native), sideOf(column, analyzer)];
        return {
          id: column.id,
          title: column.title,
          native: ours,
          perf_analyzer: theirs,
          ratio: ours === null || theirs === null || theirs.median === 0 ? null : ours.median / theirs.median,
          verdict: verdictOf(column, native, analyzer),
        };
      }),
    };
  });
}

export function crossCheckOf(
  state: Pick<RunState, 'source' | 'scenarios'>,
  scenario: Scenario,
): readonly CrossLevel[] | null {
  const performance = performanceOf(state);
  if (performance?.crossCheck !== true) return null;
  const { points, missing } = state.scenarios[scenario];
  const { loadTool } = ofScenario(performance, scenario);
  return [
    ...crossCheck({
      points: points.map(({ point }) => ({ ...point, repeat: point.repeat ?? 1 })),
      missing: missing.map((hole) => ({ ...hole, loadTool: hole.loadTool ?? loadTool })),
    }),
  ].sort(byLoad);
}

/** Inferences per second, or milliseconds. */
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
  return `${column.title} of the built-in load generator ${by} that of perf_analyzer (${values})`;
}

/** One sentence per finding of a level. */
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
    words.push(
      `Fewer than ${fewestRounds} rounds of both tools: a difference cannot be distinguished from chance.`,
    );
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
