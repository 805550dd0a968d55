import { labelOf } from '../../contract/fields/fields';
import { isSteady } from '../../contract/flag-text';
import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { fromSend, p99, scheduledP99, throughput } from '../../contract/measured/columns';
import { formatHalfWidth, missing } from '../../contract/numbers';
import { accuracyOf, accuracyText, statusOf } from '../../contract/run/run-outcome';
import { bySource, isDeployed, knownParameters } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { servedModels } from '../../contract/run/server-load';
import { scenarioOf, type Sweep, sweepHeading, sweepTitle } from '../../contract/run/sweep';
import { bestOfRuns, type BestRun, differentModelsText } from '../measured/best-of-runs';
import { type AlignedLevel, type ComparedValue, compareLevels, sweepsOf } from '../measured/compare-levels';
import { comparisonSentences, meaningOf, ratioWords } from '../measured/comparison-gate';
import { servedByText } from '../run/served-by';
import { diffSpecs, instancesDifference, servedByDifference } from './diff-specs';
import { runNames, shortNames } from './run-names';

type ComparedRun = NonNullable<AlignedLevel['runs'][number]>;

interface ComparedColumn {
  readonly column: Column;
  readonly higherIsBetter: boolean;
  readonly of: (run: ComparedRun) => ComparedValue | null;
}

/** Columns of a table of levels; in an open loop p99 from the schedule first. */
function comparedColumns(sweep: Sweep): readonly ComparedColumn[] {
  const rate: ComparedColumn = { column: throughput, higherIsBetter: true, of: (run) => run.throughput };
  const latency = (column: Column, of: ComparedColumn['of']): ComparedColumn => ({
    column,
    higherIsBetter: false,
    of,
  });
  return sweep === 'requestRate'
    ? [rate, latency(scheduledP99, (run) => run.scheduledP99Ms), latency(fromSend(p99), (run) => run.p99Ms)]
    : [rate, latency(p99, (run) => run.p99Ms)];
}

interface ComparedCell {
  readonly text: string;
  /** "×2.55 ↑ worse"; null of the first run, and where a run lacks the level. */
  readonly ratio: string | null;
  readonly meaning: ReturnType<typeof meaningOf>;
  /** null where the run lacks the level or the value. */
  readonly value: ComparedValue | null;
}

interface ComparedRow {
  readonly level: AlignedLevel;
  readonly load: string;
  /** By column, then by run. */
  readonly cells: readonly (readonly ComparedCell[])[];
}

export interface ComparedSweepTable {
  readonly sweep: Sweep;
  /** "Offline, by batch size". */
  readonly title: string;
  /** "Batch size". */
  readonly heading: string;
  readonly columns: readonly ComparedColumn[];
  readonly rows: readonly ComparedRow[];
  readonly sentences: readonly string[];
}

interface ComparedRunFacts {
  readonly runId: string;
  readonly name: string;
  readonly short: string;
  readonly createdAt: string;
  readonly status: string;
  readonly machine: string;
  readonly servedBy: string | null;
  readonly accuracy: string;
}

/** Several runs side by side, the first the baseline; used by the page Compare and every export. */
export interface Comparison {
  readonly title: string;
  readonly budgetMs: number | null;
  readonly runs: readonly ComparedRunFacts[];
  /** Note that they are of different models; null where they are not. */
  readonly models: string | null;
  readonly best: BestRun;
  readonly differences: readonly { readonly label: string; readonly values: readonly (string | null)[] }[];
  /** Every run has a specification. */
  readonly allKnown: boolean;
  readonly sweeps: readonly ComparedSweepTable[];
}

function cellOf(run: ComparedRun | null, { column, higherIsBetter, of }: ComparedColumn): ComparedCell {
  const value = run === null ? null : of(run);
  if (run === null || value === null) return { text: missing, ratio: null, meaning: null, value: null };
  const meaning = meaningOf(value, higherIsBetter);
  const half = value.interval === null ? '' : ` ± ${formatHalfWidth(value.interval, value.value)}`;
  return {
    text: `${isSteady(run.point) ? '' : '○ '}${cellText(column, run.point)}${half}`,
    ratio: value.ratio === null ? null : ratioWords(value, meaning),
    meaning,
    value,
  };
}

function comparedSweep(
  states: readonly RunState[],
  sweep: Sweep,
  names: readonly string[],
): ComparedSweepTable {
  const levels = compareLevels(states, sweep);
  const columns = comparedColumns(sweep);
  const mixed = sweep !== 'batchSize' && new Set(levels.map(({ batchSize }) => batchSize)).size > 1;
  return {
    sweep,
    title: `${scenarioOf(sweep) === 'offline' ? 'Offline' : 'Online'}, by ${sweepTitle[sweep].toLowerCase()}`,
    heading: sweepHeading[sweep],
    columns,
    rows: levels.map((level) => ({
      level,
      load: [
        String(level.level),
        ...(mixed ? [`batch size ${level.batchSize}`] : []),
        ...(level.model === undefined ? [] : [level.model]),
      ].join(', '),
      cells: columns.map((column) => level.runs.map((run) => cellOf(run, column))),
    })),
    sentences: comparisonSentences(levels, names),
  };
}

const machineOf = (state: RunState): string => {
  if (!isDeployed(state)) return missing;
  const { gpus, cpu } = state.environment;
  return gpus.length === 0 ? cpu : [...new Set(gpus.map(({ name }) => name))].join(', ');
};

/** "cnn: " where all runs are of one model, which their names need not say; else "". */
function modelPrefix(states: readonly RunState[], titleOf: (preset: string) => string): string {
  const models = states.map(({ source }) =>
    bySource(source, {
      imported: () => '',
      server: (load) => servedModels(load),
      deployed: ({ model }) => titleOf(model.preset),
    }),
  );
  const [first = ''] = models;
  return first !== '' && models.every((model) => model === first) ? `${first}: ` : '';
}

/** @param how.when formats a time (ISO 8601) */
export function comparisonOf(
  states: readonly RunState[],
  how: {
    readonly title: string | null;
    readonly budgetMs: number | null;
    readonly titleOf: (preset: string) => string;
    readonly when: (iso: string) => string;
  },
): Comparison {
  const { titleOf, when, budgetMs } = how;
  const names = runNames(states, titleOf, when);
  const short = shortNames(states, titleOf, when);
  const specs = states.map(knownParameters);
  const differences = [...diffSpecs(specs), ...servedByDifference(specs), ...instancesDifference(specs)];
  const shortOf = (index: number): string => short[index] ?? '';
  return {
    title:
      how.title ??
      `${modelPrefix(states, titleOf)}${short.slice(0, -1).join(', ')} and ${short.at(-1) ?? ''}`,
    budgetMs,
    runs: states.map((state, index) => ({
      runId: state.runId,
      name: names[index] ?? '',
      short: shortOf(index),
      createdAt: when(state.createdAt),
      status: statusOf(state).label,
      machine: machineOf(state),
      servedBy: servedByText(state),
      accuracy: accuracyText(accuracyOf(state.accuracy?.result)),
    })),
    models: differentModelsText(states),
    best: bestOfRuns(
      states.map((state, index) => ({ name: shortOf(index), state })),
      budgetMs,
    ),
    differences: differences.map(({ field, label, values }) => ({ label: label ?? labelOf(field), values })),
    allKnown: states.every(isDeployed),
    sweeps: [...new Set(states.flatMap(sweepsOf))].map((sweep) => comparedSweep(states, sweep, short)),
  };
}

/** Columns and rows of a text table: each run's value, and its ratio to the first. */
export function levelsAsText({ heading, columns, rows }: ComparedSweepTable, names: readonly string[]) {
  const [baseline = ''] = names;
  return {
    header: [
      heading,
      ...columns.flatMap(({ column }) =>
        names.flatMap((name, index) => [
          `${titleWithUnit(column)}, ${name}`,
          ...(index === 0 ? [] : [`${name} / ${baseline}`]),
        ]),
      ),
    ],
    rows: rows.map(({ load, cells }) => [
      load,
      ...cells.flatMap((runs) =>
        runs.flatMap(({ text, ratio }, index) => [text, ...(index === 0 ? [] : [ratio ?? missing])]),
      ),
    ]),
  };
}

export const comparisonKey = (baseline: string): string =>
  `× relative to the baseline, ${baseline}; ± half-width of the 95 % interval; ≈ noise: within the intervals of both; ○ not steady.`;
