import type { Column } from './column';
import { components, latencies, throughput } from './columns';
import { clientCpuPerRequest } from './detail-columns';
import { largestOf, smallestOf } from './extremes';
import { isSteady } from './flag-text';
import { levelText } from './level-text';
import { medianOf } from './median';
import type { LoadPoint } from './results';
import type { Scenario } from './run-events';
import type { LoadTool } from './run-spec';
import type { RunState } from './run-state';
import type { LoadLevel } from './scenario-levels';
import { byLoad, loadKey } from './scenario-levels';
import { meanInterval } from './student-t';

/** With fewer rounds chance alone often sets the two tools apart: of 2 each, in one of three columns that are equal. */
export const fewestRounds = 3;

/** What one tool measured in the rounds of a level. */
export interface CrossSide {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** In the order of the rounds. */
  readonly values: readonly number[];
}

/** `few-rounds`: too few measurements of both tools to tell; `one-sided`: a tool does not give the column. */
export type CrossVerdict = 'agrees' | 'differs' | 'few-rounds' | 'one-sided';

/** One column of a level. Throughput in inferences a second, the others in microseconds. */
export interface CrossColumn {
  readonly id: string;
  readonly title: string;
  readonly native: CrossSide | null;
  readonly perf_analyzer: CrossSide | null;
  /** Median of native over that of perf_analyzer; null without both, or where the latter is 0. */
  readonly ratio: number | null;
  readonly verdict: CrossVerdict;
}

export interface CrossFailure {
  readonly loadTool: LoadTool;
  readonly repeat: number;
  readonly message: string;
}

export interface CrossLevel extends LoadLevel {
  readonly text: string;
  /** Measurements of each tool, and how many of them did not become steady. */
  readonly measured: Readonly<Record<LoadTool, number>>;
  readonly unsteady: Readonly<Record<LoadTool, number>>;
  readonly failed: readonly CrossFailure[];
  readonly columns: readonly CrossColumn[];
}

export const crossColumns: readonly Column[] = [throughput, ...latencies, ...components, clientCpuPerRequest];

/** null: the tool does not say. */
const valueOf = (column: Column, point: LoadPoint): number | null => {
  const value = column.read(point);
  return typeof value === 'number' ? value : null;
};

/** A measurement of a cross-check; a hole says its tool. */
export interface CrossInput {
  readonly points: readonly LoadPoint[];
  readonly missing: readonly (LoadLevel & {
    readonly repeat?: number | undefined;
    readonly loadTool?: LoadTool | undefined;
    readonly error: { readonly message: string };
  })[];
}

/** perf_analyzer cuts times to whole microseconds, and throughput to six digits. */
const resolutionOf = (id: string, value: number): number => (id === 'throughput' ? 1e-5 * value : 1);

function sideOf(column: Column, points: readonly LoadPoint[]): CrossSide | null {
  const values = points.flatMap((point) => valueOf(column, point) ?? []);
  if (values.length === 0 || values.length < points.length) return null;
  return { median: medianOf(values), min: smallestOf(values), max: largestOf(values), values };
}

/**
 * The two differ when their ranges lie apart and the 95 % interval of the differences, round by round, leaves 0 out;
 * both by more than perf_analyzer's own rounding. Rounds are compared with each other since they drift together.
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

/** Level by level and column by column; a level that one tool or both could not measure is there too. */
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

/** Of a run's scenario, by load; null unless the run cross-checks. */
export function crossCheckOf(
  state: Pick<RunState, 'spec' | 'scenarios'>,
  scenario: Scenario,
): readonly CrossLevel[] | null {
  if (!state.spec.performance.crossCheck) return null;
  const { points, missing } = state.scenarios[scenario];
  const { loadTool } = state.spec.performance;
  return [
    ...crossCheck({
      points: points.map(({ point }) => ({ ...point, repeat: point.repeat ?? 1 })),
      missing: missing.map((hole) => ({ ...hole, loadTool: hole.loadTool ?? loadTool })),
    }),
  ].sort(byLoad);
}
