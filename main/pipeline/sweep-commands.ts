import { isLoopback, type TlsFiles } from '../contract/address';
import type { FieldRow } from '../contract/fields/field';
import { applies, valuesAt, valuesOf } from '../contract/fields/fields';
import { performanceFields } from '../contract/fields/performance-fields';
import type { RemoteLimits } from '../contract/load/remote-limits';
import { isElsewhere } from '../contract/run/engine-kinds';
import type { Scenario } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import { type MeasuringTurn, ofScenario, plannedTurns, scenarioLevels } from '../contract/run/sweep';
import { sameValue } from '../contract/trees';
import { isInTurns } from '../domain/run/in-turns';
import { lengthsOfDataset } from '../domain/run/length-distribution';
import { servedMaxBatchSize } from '../formats/model-config-of';
import { analyzerCommand } from '../perf/analyzer/analyzer-command';
import { analyzerFiles } from '../perf/analyzer/analyzer-input';
import { levelFolder } from '../store/run-files';
import { demandedLoad } from '../triton/model-traits';
import type { CommandInputs, PlannedRun, StepCommand } from './step';

/** Samples lack the first axis; models without batching keep it as an ordinary one. */
export const servedShape = (shape: readonly number[], batched: boolean): number[] =>
  batched ? [...shape] : [1, ...shape];

/** Load tool input of a turn, without input values. */
export function turnInput(
  { spec, folder, forClients }: Omit<CommandInputs, 'preset' | 'signature'>,
  scenario: Scenario,
  { level, repeat, loadTool }: MeasuringTurn,
) {
  const { configure } = spec;
  const performance = ofScenario(spec.performance, scenario);
  const name = `${repeat === 1 ? '' : `-repeat${repeat}`}${performance.crossCheck ? `-${loadTool}` : ''}`;
  return {
    ...forClients,
    protocol: performance.protocol,
    modelName: configure.modelName,
    modelVersion: String(configure.modelVersion),
    level,
    batched: servedMaxBatchSize(configure) > 0,
    settings: demandedLoad(performance, configure),
    workDir: levelFolder(folder, scenario, level, name),
  };
}

/** Stated by the levels. */
const ofLevels: ReadonlySet<string> = new Set(['performance.batchSizes', 'performance.concurrency']);

/** Options of the load that differ from the schema's defaults. */
function loadWords(spec: RunSpec, scenario: Scenario): string[] {
  const valueAt = valuesAt(spec);
  const words = (row: FieldRow, option: string): string[] => {
    const value = valueAt(row.path);
    const usual =
      row.path === 'performance.repeats' && spec.performance.crossCheck ? undefined : valuesOf(row).default;
    if (value === undefined || value === false || sameValue(value, usual) || !applies(row, valueAt))
      return [];
    const [flag = option] = option.split(' ');
    if (value === true) return [flag];
    // The verb reads intervals from a file.
    if (row.path === 'performance.requestIntervalsUs') return [flag, '<file>'];
    const end = row.path === 'performance.sequences.firstId' ? spec.performance.sequences?.endId : undefined;
    const text = Array.isArray(value) ? value.join(',') : `${value as string | number}`;
    return [flag, end === undefined ? text : `${text}:${end}`];
  };
  return performanceFields
    .filter(({ path, group }) => !ofLevels.has(path) && (group !== 'online' || scenario === 'online'))
    .flatMap((row) => (row.option === undefined || row.runOnly === true ? [] : words(row, row.option)));
}

/** The verb has no data set, so random values replace it. */
const inputWords = ({ inputData, inputDataFile }: RunSpec['performance']): string =>
  inputData === 'file' && inputDataFile !== undefined
    ? inputDataFile
    : inputData === 'zero'
      ? 'zero'
      : 'random';

/** Those of a data set stay with it. */
const lengthWords = ({ lengthDistribution: value }: RunSpec['performance']): string[] =>
  value === undefined || value === lengthsOfDataset
    ? []
    : ['--length-distribution', value.includes(' ') ? '<file>' : value];

/** `perf` command equivalent to the built-in load generator or a cross-check. */
function nativeCommand({ spec, forClients }: PlannedRun, scenario: Scenario): string[] {
  const { configure, engine } = spec;
  const { httpAddress, grpcAddress, httpTls } = forClients;
  const limits = isElsewhere(engine) ? engine.limits : undefined;
  const performance = demandedLoad(ofScenario(spec.performance, scenario), configure);
  const levels = scenarioLevels(spec.performance, scenario);
  const distinct = (values: readonly number[]) => [...new Set(values)].join(',');
  return [
    ...['triton-workbench', 'perf'],
    ...['--url', `${httpTls === undefined ? 'http' : 'https'}://${httpAddress}`],
    ...['--grpc-url', grpcAddress, '--model', configure.modelName],
    ...['--model-version', String(configure.modelVersion)],
    ...['--batch-sizes', distinct(levels.map((level) => level.batchSize))],
    ...['--concurrency', distinct(levels.map((level) => level.concurrency))],
    ...['--input-data', inputWords(performance), ...lengthWords(performance)],
    ...loadWords({ ...spec, performance }, scenario),
    ...(isInTurns(spec, scenario) || levels.length === 1 ? [] : ['--no-in-turns']),
    ...tlsWords(httpTls ?? {}),
    ...(isLoopback(httpAddress) ? [] : ['--allow-remote-load', ...limitWords(limits ?? {})]),
  ];
}

const limitWords = ({ concurrency, requestsPerSecond }: RemoteLimits): string[] => [
  ...(concurrency === undefined ? [] : ['--remote-concurrency', String(concurrency)]),
  ...(requestsPerSecond === undefined ? [] : ['--remote-request-rate', String(requestsPerSecond)]),
];

const tlsWords = ({ caFile, certFile, keyFile, serverName }: TlsFiles): string[] => [
  ...(caFile === undefined ? [] : ['--tls-ca', caFile]),
  ...(certFile === undefined ? [] : ['--tls-cert', certFile]),
  ...(keyFile === undefined ? [] : ['--tls-key', keyFile]),
  ...(serverName === undefined ? [] : ['--tls-server-name', serverName]),
];

function analyzerWords(run: PlannedRun, scenario: Scenario, turn: MeasuringTurn): readonly string[] {
  const input = turnInput(run, scenario, turn);
  const tensors = run.signature.inputs.map(({ name, shape }) => ({
    name,
    shape: servedShape(shape.slice(1), input.batched),
  }));
  const { stabilityPercentage, maxTrials } = input.settings;
  return analyzerCommand(
    { ...input, inputData: { tensors } },
    { ...analyzerFiles(input.workDir), binary: run.analyzer, stabilityPercentage, maxTrials },
  );
}

/**
 * One perf_analyzer command per measurement, for searches all candidates; for the built-in load generator the
 * equivalent `perf` command. Throws combination-unsupported without a perf_analyzer flag.
 */
export function sweepCommands(run: PlannedRun, scenario: Scenario): readonly StepCommand[] {
  const performance = ofScenario(run.spec.performance, scenario);
  return performance.loadTool === 'native' || performance.crossCheck
    ? [nativeCommand(run, scenario)]
    : plannedTurns(run.spec.performance, scenario).map((turn) => analyzerWords(run, scenario, turn));
}
