import { inputDataModes, loadTools, protocols } from '../../../../main/contract/run-spec';
import { loadToolText } from '../../../format/words';
import type { Control, FieldContext, Section } from './field';

const choice = <Value extends string>(
  values: readonly Value[],
  text: Readonly<Record<Value, string>>,
): Control => ({
  kind: 'choice',
  cards: false,
  options: values.map((value) => ({ value, label: text[value] })),
});

const modes = ['time_windows', 'count_windows'] as const;

/** What is measured, and when a level counts as measured. */
export function performanceSections(context: FieldContext): readonly Section[] {
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
          help: 'Seeded random values, zeros, or samples of the data set.',
          wide: true,
          control: choice(inputDataModes, { random: 'Random', zero: 'Zeros', dataset: 'Data set' }),
        },
      ],
    },
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
          control: choice(modes, { time_windows: 'By time', count_windows: 'By requests' }),
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
          help: 'Requests of this time are not counted.',
          control: { kind: 'integer', min: 0, suffix: ' ms' },
        },
      ],
    },
  ];
}
