import {
  inputDataModes,
  loadTools,
  measurementModes,
  outputCheckKinds,
  protocols,
  requestDistributions,
  searches,
  sharedMemories,
} from '../../../../main/contract/run-spec';
import { loadToolText } from '../../../format/words';
import type { Control, FieldContext, Section } from './field';
import { sequenceSection } from './sequence-fields';

const choice = <Value extends string>(
  values: readonly Value[],
  text: Readonly<Record<Value, string>>,
): Control => ({
  kind: 'choice',
  cards: false,
  options: values.map((value) => ({ value, label: text[value] })),
});

/** What is measured, and when a level counts as measured. */
export function performanceSections(context: FieldContext): readonly Section[] {
  const has = (name: string) => {
    const value = context.value('performance', name);
    return Array.isArray(value) && value.length > 0;
  };
  const byRate = has('requestRates');
  const searching = !['none', undefined].includes(
    context.value('performance', 'search') as string | undefined,
  );
  const shares = !['none', undefined].includes(
    context.value('performance', 'sharedMemory') as string | undefined,
  );
  const overHttp = context.value('performance', 'protocol') === 'http';
  const fromFile = context.value('performance', 'inputData') === 'file';
  const byTime = context.value('performance', 'measurementMode') !== 'count_windows';
  return [
    {
      title: 'Offline: one request at a time',
      fields: [
        {
          keys: ['performance', 'batchSizes'],
          label: 'Offline: batch sizes',
          term: 'batch-size',
          variable: 'BATCH_SIZE',
          help: 'One point a batch size. Comma-separated.',
          wide: true,
          control: { kind: 'integers', mayBeEmpty: false },
        },
      ],
    },
    {
      title: 'Online: many clients',
      fields: [
        {
          keys: ['performance', 'concurrency'],
          label: 'Online: concurrency',
          term: 'concurrency-range',
          help: 'One point for each number of requests under way at the same time.',
          wide: true,
          control: { kind: 'sweep' },
        },
        {
          keys: ['performance', 'onlineBatchSize'],
          label: 'Online: batch of a request',
          term: 'batch-size',
          help: 'Items in each request.',
          control: { kind: 'integer', min: 1 },
        },
        {
          keys: ['performance', 'requestRates'],
          label: 'Online: request rate',
          term: 'request-rate-range',
          help: 'Requests a second in place of the concurrency: sent when due, answered or not; latency also from that time.',
          wide: true,
          control: { kind: 'numbers', placeholder: 'none' },
        },
        {
          keys: ['performance', 'requestDistribution'],
          label: 'Distribution of requests',
          term: 'request-distribution',
          help: 'Even intervals, or those of independent clients (seeded).',
          control: choice(requestDistributions, { constant: 'Constant', poisson: 'Poisson' }),
          idle: byRate ? undefined : 'Of effect with request rates.',
        },
        {
          keys: ['performance', 'requestSeed'],
          label: 'Seed of requests',
          term: 'request-seed',
          help: 'Of the times of Poisson: the same seed sends at the same times. perf_analyzer has its own.',
          control: { kind: 'integer', min: 0, isName: true },
          idle:
            byRate && context.value('performance', 'requestDistribution') === 'poisson'
              ? undefined
              : 'Of effect with Poisson.',
        },
        {
          keys: ['performance', 'requestIntervalsUs'],
          label: 'Intervals of requests, µs',
          term: 'request-intervals',
          help: 'In place of request rates: these in turn, without end.',
          control: { kind: 'integers', mayBeEmpty: true, placeholder: 'none' },
        },
        {
          keys: ['performance', 'search'],
          label: 'Search for a latency',
          term: 'binary-search',
          help: 'Measures up to the last online level within the latency, or halves what lies between.',
          control: choice(searches, { none: 'All levels', linear: 'Linear', binary: 'Binary' }),
        },
        {
          keys: ['performance', 'latencyThresholdMs'],
          label: 'p99 to stay within, ms',
          term: 'latency-threshold',
          help: 'Of a search; with request rates from the time at which each was due.',
          control: { kind: 'number', min: 0, step: 1 },
          idle: searching ? undefined : 'Of effect with a search.',
        },
      ],
    },
    {
      title: 'Requests',
      fields: [
        {
          keys: ['performance', 'loadTool'],
          label: 'Load tool',
          term: 'load-tool',
          help: 'The workbench’s own generator, or NVIDIA’s perf_analyzer.',
          control: choice(loadTools, loadToolText),
        },
        {
          keys: ['performance', 'protocol'],
          label: 'Protocol',
          term: 'protocol',
          help: 'How requests reach Triton.',
          control: choice(protocols, { grpc: 'gRPC', http: 'HTTP' }),
        },
        {
          keys: ['performance', 'inputData'],
          label: 'Input values',
          term: 'input-data',
          help: 'Seeded random values, zeros, samples of the data set, or a file of yours.',
          wide: true,
          control: choice(inputDataModes, {
            random: 'Random',
            zero: 'Zeros',
            dataset: 'Data set',
            file: 'File',
          }),
        },
        {
          keys: ['performance', 'inputDataFile'],
          label: 'File with input values',
          term: 'input-data-file',
          help: 'perf_analyzer’s JSON, an npz file, or a folder with a raw file an input.',
          control: { kind: 'path', pathKind: 'file', placeholder: 'none' },
          idle: fromFile ? undefined : 'Of effect with input values from a file.',
        },
        {
          keys: ['performance', 'checkOutputs'],
          label: 'Checks of outputs',
          term: 'check-outputs',
          help: 'Of some responses, by the native generator: names, types and shapes, and whether all values are finite.',
          control: choice(outputCheckKinds, { none: 'None', form: 'Form', finite: 'Form, finite' }),
        },
        {
          keys: ['performance', 'sharedMemory'],
          label: 'Shared memory',
          term: 'shared-memory',
          help: 'Tensors pass through /dev/shm or the GPU’s memory instead of the network.',
          control: choice(sharedMemories, { none: 'None', system: 'System', cuda: 'CUDA' }),
        },
        {
          keys: ['performance', 'outputSharedMemoryBytes'],
          label: 'Shared memory of an output',
          term: 'output-shared-memory-size',
          help: 'Each output of a request must fit.',
          control: { kind: 'integer', min: 1, unit: 'bytes', suffix: ' B' },
          idle: shares ? undefined : 'Of effect with shared memory.',
        },
        {
          keys: ['performance', 'streaming'],
          label: 'Over a stream',
          term: 'streaming',
          help: 'gRPC’s ModelStreamInfer: the times of the first, each further and the final response are measured too.',
          control: { kind: 'flag' },
          idle: overHttp ? 'Of effect with gRPC.' : undefined,
        },
      ],
    },
    sequenceSection(context),
    {
      title: 'When a level is measured',
      fields: [
        {
          keys: ['performance', 'measurementMode'],
          label: 'Windows',
          term: 'measurement-mode',
          variable: 'MEASUREMENT_MODE',
          help: 'A window ends after a time, or after a number of requests.',
          wide: true,
          control: choice(measurementModes, { time_windows: 'By time', count_windows: 'By requests' }),
        },
        {
          keys: ['performance', 'measurementIntervalMs'],
          label: 'Measurement window',
          term: 'measurement-interval',
          variable: 'MEASUREMENT_INTERVAL',
          help: 'Measured until three in a row agree.',
          control: { kind: 'integer', min: 1, suffix: ' ms' },
          idle: byTime ? undefined : 'Of effect for windows by time.',
        },
        {
          keys: ['performance', 'measurementRequestCount'],
          label: 'Requests of a window',
          term: 'measurement-request-count',
          variable: 'REQUEST_COUNT',
          help: 'Fewest requests that end a window.',
          control: { kind: 'integer', min: 1 },
          idle: byTime ? 'Of effect for windows by requests.' : undefined,
        },
        {
          keys: ['performance', 'stabilityPercentage'],
          label: 'Steady within',
          term: 'stability-percentage',
          help: 'Percent by which three windows may differ.',
          control: { kind: 'number', min: 0.1, step: 1 },
        },
        {
          keys: ['performance', 'maxTrials'],
          label: 'Windows at most',
          term: 'max-trials',
          help: 'After these a level is marked unsteady and the sweep goes on.',
          control: { kind: 'integer', min: 3 },
        },
        {
          keys: ['performance', 'warmupMs'],
          label: 'Warm-up of a level',
          term: 'warmup',
          help: 'Requests of this time are not counted. perf_analyzer has none.',
          control: { kind: 'integer', min: 0, suffix: ' ms' },
        },
        {
          keys: ['performance', 'repeats'],
          label: 'Repeats',
          term: 'repeats',
          help: 'Rounds over all levels; the median is shown, with the range.',
          control: { kind: 'integer', min: 1 },
        },
        {
          keys: ['performance', 'crossCheck'],
          label: 'Cross-check',
          term: 'cross-check',
          help: 'Every level also with the other load tool, in turns: says where the two differ.',
          control: { kind: 'flag' },
        },
      ],
    },
  ];
}
