import { titledMessage } from '../../contract/error-text';
import { labelOf } from '../../contract/fields/fields';
import { isFaulty, isSound, isSteady, marksOf, stateWords } from '../../contract/flag-text';
import { localHost } from '../../contract/host/host-name';
import { isJobEngine } from '../../contract/job/run-job';
import { type Column, named, text as textMeasure } from '../../contract/measured/column';
import { batchSize, p99, throughput } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatCount } from '../../contract/numbers';
import { askedGpus, hostOf as chosenHost, inContainers, visibleGpus } from '../../contract/run/engine-kinds';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { statusOf, verificationOf } from '../../contract/run/run-outcome';
import { engineOf, specOf } from '../../contract/run/run-source';
import type { RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { bestLevelText } from './answer';
import { byLength, lengthDocument } from './by-length';
import {
  byGpu,
  type DeviceRow,
  isRelative,
  type MatrixResult,
  measuredOn,
  throughputRatio,
} from './matrix-result';
import { bestPointOf } from './points';

const ownColumns: ReadonlySet<string> = new Set([
  'model.preset',
  'format',
  'precision',
  'engine.gpus',
  'engine.host',
]);

type Row = Column<MatrixResult>;

const text = <Of = MatrixResult>(
  id: string,
  title: string,
  help: string,
  read: Column<Of>['read'],
): Column<Of> => ({ ...named(id, title, title, textMeasure), help, read });

const axisIn = ({ axes }: MatrixResult, field: string): string | null =>
  axes.find((axis) => axis.field === field)?.value ?? null;

/** The model by its name, also where there is no specification yet. */
const presetOf = (one: MatrixResult): string | null =>
  chosenSpec(one)?.model.preset ?? one.choice?.preset ?? axisIn(one, 'model.preset');

const chosenSpec = ({ state, spec }: MatrixResult): RunSpec | null =>
  (state === null ? null : specOf(state)) ?? spec;

/** Host of the run, or its candidates; null where it names none. */
function hostOf(result: MatrixResult): string | null {
  const engine = result.state === null ? null : engineOf(result.state);
  const host = engine === null ? undefined : chosenHost(engine);
  if (host !== undefined) return host;
  if (result.state !== null) return result.hosts === undefined ? null : localHost;
  return axisIn(result, 'engine.host') ?? result.hosts?.join(', ') ?? null;
}

/** A job's GPUs are those of its node, unknown until it starts. */
function jobGpuOf(engine: RunSpec['engine'], state: RunState | null): string | null {
  if (visibleGpus(engine)?.length === 0) return 'none';
  if (state === null || state.job === null || state.job.node === null) return null;
  return [...new Set(state.environment.gpus.map(({ name }) => name))].join(', ') || 'none';
}

/** Device of the measurement, else the requested one. */
function gpuOf(result: MatrixResult): string | null {
  const names = result.state?.environment.gpus.map(({ name }) => name) ?? [];
  const engine = chosenSpec(result)?.engine;
  if (engine !== undefined && isJobEngine(engine)) return jobGpuOf(engine, result.state);
  const asked = engine === undefined ? [] : askedGpus(engine);
  if (asked.length > 0 && names.length > 0) return [...new Set(names)].join(', ');
  return (
    axisIn(result, 'engine.gpus') ??
    (asked.length > 0 ? asked.join(' ') : engine === undefined ? null : 'none')
  );
}

function releaseOf(result: MatrixResult): string | null {
  const engine = chosenSpec(result)?.engine;
  return engine !== undefined && inContainers(engine) ? (engine.release ?? null) : null;
}

/** null: not checked yet. */
function accuracyLabel({ state }: MatrixResult): string | null {
  if (state === null || (state.status === 'running' && state.accuracy === null)) return null;
  return verificationOf(state).label;
}

/** Best steady level, else the best one, which {@link stateColumn} marks. */
const bestOf = ({ state }: MatrixResult, scenario: Scenario): LoadPoint | null =>
  state === null ? null : bestPointOf(state, scenario);

const scenarioTitle: Readonly<Record<Scenario, string>> = { offline: 'Offline', online: 'Online' };

/** State of the scenario's level: "steady", "not steady", "steady, client-limited". */
const stateColumn = (scenario: Scenario): Row =>
  text(
    `${scenario}-state`,
    `${scenarioTitle[scenario]} state`,
    `Whether the level of this row is steady ${scenario}, and other doubts about it.`,
    (result) => {
      const point = bestOf(result, scenario);
      return point === null ? null : stateWords(point);
    },
  );

const ofBest = (scenario: Scenario, column: Column, read = column.read): Row => ({
  id: `${scenario}-${column.id}`,
  heading: `${scenarioTitle[scenario]} ${column.heading ?? column.title}`,
  title: `${scenarioTitle[scenario]} ${column.title.charAt(0).toLowerCase()}${column.title.slice(1)}`,
  help: `${column.help} Best steady level ${scenario}; where none is steady, the best level.`,
  unit: column.unit,
  kind: column.kind,
  read: (result) => {
    const point = bestOf(result, scenario);
    return point === null ? null : read(point);
  },
});

export function matrixState({ state, leftOut, error }: MatrixResult): string {
  if (leftOut !== null) return 'Left out';
  if (error !== null) return 'Not run';
  return state === null ? 'Not started' : statusOf(state).label;
}

/** Scenarios without a reliable level, and what their figures are then. */
function unsteadyText(state: RunState): string | null {
  const found = scenarios.flatMap((scenario) => {
    const point = bestPointOf(state, scenario);
    return point === null || isSound(point) ? [] : [{ scenario, faulty: isFaulty(point) }];
  });
  const of = (faulty: boolean) =>
    found.filter((one) => one.faulty === faulty).map(({ scenario }) => scenario);
  const lines = [
    { of: of(false), text: 'No steady level', are: 'not steady' },
    {
      of: of(true),
      text: 'No level without failed requests or wrong responses',
      are: 'which does not count as a result',
    },
  ].filter((one) => one.of.length > 0);
  return lines.length === 0
    ? null
    : lines
        .map((one) => `${one.text} ${one.of.join(' and ')}: its figures are of the best level, ${one.are}.`)
        .join(' ');
}

/** Why there is no result, or its doubts; null without either. */
export function matrixReason({ state, leftOut, error }: MatrixResult): string | null {
  const wire = error ?? state?.error ?? null;
  if (leftOut !== null) return leftOut;
  if (wire !== null) {
    // A failed run shows its remedy on its page; one that was not started is shown only here.
    const remedy = error?.remedy === undefined ? '' : `. ${error.remedy}`;
    return `${titledMessage(wire)}${remedy}`;
  }
  return state === null ? null : unsteadyText(state);
}

export function choiceColumns(results: readonly MatrixResult[]): readonly Row[] {
  const others = new Set(
    results.flatMap(({ axes }) => axes.map(({ field }) => field).filter((field) => !ownColumns.has(field))),
  );
  return [
    {
      ...text('number', 'Run', 'Number of the run in the matrix.', ({ number }) => number),
      kind: 'count',
    },
    text('preset', 'Preset', 'Model of the run.', presetOf),
    text(
      'format',
      'Format',
      'Format that is served.',
      (one) => chosenSpec(one)?.format ?? axisIn(one, 'format'),
    ),
    text(
      'precision',
      'Precision',
      'Number format of the model.',
      (one) => chosenSpec(one)?.precision ?? axisIn(one, 'precision'),
    ),
    text('gpu', 'GPU', 'GPUs of the run; none: on the CPU, or on an external server.', gpuOf),
    ...(results.some((result) => hostOf(result) !== null)
      ? [text('host', 'Host', 'Host that measures; before the start, the hosts that fit.', hostOf)]
      : []),
    ...[...others].map((field) =>
      text(field, labelOf(field), `Value of ${field}.`, (one) => axisIn(one, field)),
    ),
  ];
}

export const endColumns: readonly Row[] = [
  text('state', 'State', 'How the run ended.', matrixState),
  text('reason', 'Reason', 'Why the result is missing, or doubts about it.', matrixReason),
];

export const matrixColumns = (results: readonly MatrixResult[]): readonly Row[] => [
  ...choiceColumns(results),
  text('release', 'Release', 'NGC release of the images.', releaseOf),
  text('accuracy', 'Accuracy', 'Result of the comparison with the framework.', accuracyLabel),
  ofBest('offline', throughput),
  ofBest('offline', p99, budgetLatencyUs),
  ofBest('offline', batchSize),
  stateColumn('offline'),
  ofBest('online', throughput),
  ofBest('online', p99, budgetLatencyUs),
  text('online-level', 'Online level', 'Batch size and load of the level of this row online.', (one) => {
    const point = bestOf(one, 'online');
    return point === null ? null : levelText(point);
  }),
  stateColumn('online'),
  ...endColumns,
  text('run-id', 'Run ID', 'Folder of the run.', ({ state }) => state?.runId ?? null),
];

/** Where the label of a state does not follow its count. */
const countedStates: Readonly<Record<string, string>> = {
  'Accuracy gate not passed': 'did not pass the accuracy gate',
};

function countedState(state: string, count: number): string {
  const label = `${state.charAt(0).toLowerCase()}${state.slice(1)}`;
  return plural(count, countedStates[state] ?? label);
}

const plural = (count: number, what: string): string => `${formatCount(count)} ${what}`;

/** "2 of 4 runs complete, 1 failed, 1 left out". */
export function statesSentence(states: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  const complete = counts.get('Complete') ?? 0;
  const rest = [...counts].filter(([state]) => state !== 'Complete');
  return [
    `${formatCount(complete)} of ${plural(states.length, states.length === 1 ? 'run' : 'runs')} complete`,
    ...rest.map(([state, count]) => countedState(state, count)),
  ].join(', ');
}

export const matrixSentence = (results: readonly MatrixResult[]): string =>
  statesSentence(results.map(matrixState));

function levelDocument(point: LoadPoint | null, scenario: Scenario) {
  if (point === null) return null;
  const { concurrency, requestRate } = point;
  return {
    inferencesPerSecond: point.inferencesPerSecond,
    p99Us: budgetLatencyUs(point),
    batchSize: point.batchSize,
    concurrency,
    ...(requestRate === undefined ? {} : { requestRate }),
    /** The figures are an answer only where steady and without error marks. */
    steady: isSteady(point),
    marks: marksOf(point),
    text: bestLevelText({ scenario, point }),
  };
}

type DeviceColumn = Column<DeviceRow>;

const ofResult = ({ id, heading, title, help, unit, kind, read }: Row): DeviceColumn => ({
  ...named(id, heading, title, { unit, kind }),
  help,
  read: ({ result }) => read(result),
});

const ratioColumn = (scenario: Scenario, baseline: string): DeviceColumn => {
  const title = `${scenario === 'offline' ? 'Offline' : 'Online'} throughput, relative`;
  return {
    ...text<DeviceRow>(
      `${scenario}-ratio`,
      title,
      `Throughput ${scenario} divided by that of the same choice on ${baseline}.`,
      (row) => throughputRatio(row, scenario),
    ),
    kind: 'rate',
  };
};

/** One row per run, in the order of {@link byGpu}. */
export function deviceColumns(results: readonly MatrixResult[]): readonly DeviceColumn[] {
  const groups = byGpu(results);
  const baseline = groups[0]?.device ?? '';
  const choice = choiceColumns(results).filter(({ id }) => id !== 'number' && id !== 'gpu');
  const figures = (scenario: Scenario): readonly DeviceColumn[] => [
    ofResult(ofBest(scenario, throughput)),
    ...(isRelative(groups) ? [ratioColumn(scenario, baseline)] : []),
    ofResult(ofBest(scenario, p99, budgetLatencyUs)),
    ofResult(stateColumn(scenario)),
  ];
  return [
    text<DeviceRow>(
      'device',
      'Measured on',
      'GPU that measured, or the CPU of a machine.',
      ({ device }) => device,
    ),
    {
      ...text<DeviceRow>('number', 'Run', 'Number of the run in the matrix.', ({ result }) => result.number),
      kind: 'count',
    },
    ...choice.map(ofResult),
    ofResult(text('release', 'Release', 'NGC release of the images.', releaseOf)),
    ...figures('offline'),
    ...figures('online'),
  ];
}

/** For machines: values as measured, microseconds; null where missing. */
export const matrixDocument = (name: string, results: readonly MatrixResult[]) => ({
  kind: 'triton-workbench-matrix',
  version: 1,
  name,
  summary: matrixSentence(results),
  byGpu: byGpu(results).map(({ device, rows }) => ({
    device,
    runs: rows.map((row) => ({
      number: row.result.number,
      host: hostOf(row.result),
      baseline: row.baseline?.number ?? null,
      offlineRatio: throughputRatio(row, 'offline'),
      onlineRatio: throughputRatio(row, 'online'),
    })),
  })),
  byLength: lengthDocument(byLength(results)),
  runs: results.map((result) => ({
    number: result.number,
    axes: Object.fromEntries(result.axes.map(({ field, value }) => [field, value])),
    preset: presetOf(result),
    format: chosenSpec(result)?.format ?? axisIn(result, 'format'),
    precision: chosenSpec(result)?.precision ?? axisIn(result, 'precision'),
    gpu: gpuOf(result),
    host: hostOf(result),
    measuredOn: measuredOn(result),
    release: releaseOf(result),
    runId: result.state?.runId ?? null,
    state: matrixState(result),
    reason: matrixReason(result),
    accuracy: accuracyLabel(result),
    accuracyPassed: result.state?.accuracy?.result.passed ?? null,
    unverified: result.state?.unverified ?? null,
    offline: levelDocument(bestOf(result, 'offline'), 'offline'),
    online: levelDocument(bestOf(result, 'online'), 'online'),
  })),
});
