import { errorText } from '../error-text';
import type { WireError } from '../errors';
import { labelOf } from '../fields/fields';
import { formatCount } from '../numbers';
import { type Scenario, scenarios } from '../run/run-events';
import { statusOf, verificationOf } from '../run/run-outcome';
import type { RunSpec } from '../run/run-spec';
import type { RunState } from '../run/run-state';
import type { MatrixAxis } from '../run/spec-tools';
import { budgetLatencyUs } from '../run/sweep';
import { levelText } from '../words';
import type { Column } from './column';
import { batchSize, p99, throughput } from './columns';
import { bestSteadyPoint, levelsOf } from './points';
import type { LoadPoint } from './results';
import { bestLevelText } from './verdict';

/** One run of a matrix: planned, left out, or with what it came to. */
export interface MatrixResult {
  /** Place in the matrix, from 1 on. */
  readonly number: number;
  readonly axes: readonly MatrixAxis[];
  /** null where the choice is no specification. */
  readonly spec: RunSpec | null;
  /** null where no run was created. */
  readonly state: RunState | null;
  /** Why it cannot be run at all; null where it can. */
  readonly leftOut: string | null;
  /** What kept it from being started or taken up. */
  readonly error: WireError | null;
}

/** These have a column of their own. */
const ownColumns: ReadonlySet<string> = new Set(['model.preset', 'format', 'precision', 'engine.gpus']);

type Row = Column<MatrixResult>;

const text = (id: string, title: string, help: string, read: Row['read']): Row => ({
  id,
  heading: title,
  title,
  help,
  unit: '',
  kind: 'text',
  read,
});

const axisIn = ({ axes }: MatrixResult, field: string): string | null =>
  axes.find((axis) => axis.field === field)?.value ?? null;

const specOf = ({ state, spec }: MatrixResult): RunSpec | null => state?.spec ?? spec;

/** What measured where the run got so far, else what it asks for. */
function gpuOf(result: MatrixResult): string | null {
  const names = result.state?.environment.gpus.map(({ name }) => name) ?? [];
  const engine = specOf(result)?.engine;
  const asked = engine?.kind === 'docker' ? engine.gpus : [];
  if (asked.length > 0 && names.length > 0) return [...new Set(names)].join(', ');
  return (
    axisIn(result, 'engine.gpus') ??
    (asked.length > 0 ? asked.join(' ') : engine === undefined ? null : 'none')
  );
}

function releaseOf(result: MatrixResult): string | null {
  const engine = specOf(result)?.engine;
  return (engine?.kind === 'docker' ? engine.release : undefined) ?? null;
}

function accuracyOf({ state }: MatrixResult): string | null {
  if (state === null || state.accuracy === null) return null;
  return verificationOf(state).verified ? 'passed' : 'not passed';
}

const bestOf = ({ state }: MatrixResult, scenario: Scenario): LoadPoint | null =>
  state === null ? null : bestSteadyPoint(state, scenario);

/** A column of measured levels, of the best steady level of one scenario. */
const ofBest = (scenario: Scenario, column: Column, read = column.read): Row => ({
  id: `${scenario}-${column.id}`,
  heading: `${scenario === 'offline' ? 'Offline' : 'Online'} ${column.heading ?? column.title}`,
  title: `${scenario === 'offline' ? 'Offline' : 'Online'} ${column.title.charAt(0).toLowerCase()}${column.title.slice(1)}`,
  help: `${column.help} Best steady level ${scenario}.`,
  unit: column.unit,
  kind: column.kind,
  read: (result) => {
    const point = bestOf(result, scenario);
    return point === null ? null : read(point);
  },
});

/** The state in the words of the run's page and the run list. */
export function matrixState({ state, leftOut, error }: MatrixResult): string {
  if (leftOut !== null) return 'Left out';
  if (error !== null) return 'Not run';
  return state === null ? 'Not started' : statusOf(state).label;
}

/** Scenarios that were measured and have no steady level, in words. */
function unsteadyText(state: RunState): string | null {
  const found = scenarios.filter(
    (scenario) =>
      bestSteadyPoint(state, scenario) === null &&
      levelsOf(state, scenario).some(({ point }) => point !== null),
  );
  return found.length === 0 ? null : `No steady level ${found.join(' and ')}.`;
}

/** Why there is no result, or what is in doubt about it; null where there is nothing to say. */
export function matrixReason({ state, leftOut, error }: MatrixResult): string | null {
  const wire = error ?? state?.error ?? null;
  if (leftOut !== null) return leftOut;
  if (wire !== null) return `${errorText[wire.code].title}: ${wire.message}`;
  return state === null ? null : unsteadyText(state);
}

/** What tells the runs apart: preset, format, precision, GPU, and every other axis of the matrix. */
export function choiceColumns(results: readonly MatrixResult[]): readonly Row[] {
  const others = new Set(
    results.flatMap(({ axes }) => axes.map(({ field }) => field).filter((field) => !ownColumns.has(field))),
  );
  return [
    {
      ...text('number', 'Run', 'Place of the run in the matrix.', ({ number }) => number),
      kind: 'count',
    },
    text(
      'preset',
      'Preset',
      'Model of the run.',
      (one) => specOf(one)?.model.preset ?? axisIn(one, 'model.preset'),
    ),
    text('format', 'Format', 'Format that is served.', (one) => specOf(one)?.format ?? axisIn(one, 'format')),
    text(
      'precision',
      'Precision',
      'Number format of the model.',
      (one) => specOf(one)?.precision ?? axisIn(one, 'precision'),
    ),
    text('gpu', 'GPU', 'GPUs of the run; none: on the CPU, or on a server that is not ours.', gpuOf),
    ...[...others].map((field) =>
      text(field, labelOf(field), `Value of ${field}.`, (one) => axisIn(one, field)),
    ),
  ];
}

/** State and reason, the last columns of every table of a matrix. */
export const endColumns: readonly Row[] = [
  text('state', 'State', 'How the run ended.', matrixState),
  text('reason', 'Reason', 'Why there is no result, or what is in doubt about it.', matrixReason),
];

/** One row per run: what it is, and what it came to. */
export const matrixColumns = (results: readonly MatrixResult[]): readonly Row[] => [
  ...choiceColumns(results),
  text('release', 'Release', 'NGC release of the images.', releaseOf),
  text('accuracy', 'Accuracy', 'Whether the accuracy gate passed.', accuracyOf),
  ofBest('offline', throughput),
  ofBest('offline', p99, budgetLatencyUs),
  ofBest('offline', batchSize),
  ofBest('online', throughput),
  ofBest('online', p99, budgetLatencyUs),
  text('online-level', 'Online level', 'Batch size and load of the best steady level online.', (one) => {
    const point = bestOf(one, 'online');
    return point === null ? null : levelText(point);
  }),
  ...endColumns,
  text('run-id', 'Run ID', 'Folder of the run.', ({ state }) => state?.runId ?? null),
];

const plural = (count: number, what: string): string => `${formatCount(count)} ${what}`;

/** "2 of 4 runs complete, 1 failed, 1 left out." */
export function matrixSentence(results: readonly MatrixResult[]): string {
  const counts = new Map<string, number>();
  for (const result of results) {
    const state = matrixState(result);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const complete = counts.get('Complete') ?? 0;
  const rest = [...counts].filter(([state]) => state !== 'Complete');
  return [
    `${formatCount(complete)} of ${plural(results.length, results.length === 1 ? 'run' : 'runs')} complete`,
    ...rest.map(([state, count]) => plural(count, state.charAt(0).toLowerCase() + state.slice(1))),
  ].join(', ');
}

function levelDocument(point: LoadPoint | null, scenario: Scenario) {
  if (point === null) return null;
  const { concurrency, requestRate } = point;
  return {
    inferencesPerSecond: point.inferencesPerSecond,
    p99Us: budgetLatencyUs(point),
    batchSize: point.batchSize,
    concurrency,
    ...(requestRate === undefined ? {} : { requestRate }),
    text: bestLevelText({ scenario, point }),
  };
}

/** A matrix for machines: values as measured, microseconds; null where there is none. */
export const matrixDocument = (name: string, results: readonly MatrixResult[]) => ({
  kind: 'triton-workbench-matrix',
  version: 1,
  name,
  summary: matrixSentence(results),
  runs: results.map((result) => ({
    number: result.number,
    axes: Object.fromEntries(result.axes.map(({ field, value }) => [field, value])),
    preset: specOf(result)?.model.preset ?? axisIn(result, 'model.preset'),
    format: specOf(result)?.format ?? axisIn(result, 'format'),
    precision: specOf(result)?.precision ?? axisIn(result, 'precision'),
    gpu: gpuOf(result),
    release: releaseOf(result),
    runId: result.state?.runId ?? null,
    state: matrixState(result),
    reason: matrixReason(result),
    accuracyPassed: result.state?.accuracy?.result.passed ?? null,
    unverified: result.state?.unverified ?? null,
    offline: levelDocument(bestOf(result, 'offline'), 'offline'),
    online: levelDocument(bestOf(result, 'online'), 'online'),
  })),
});
