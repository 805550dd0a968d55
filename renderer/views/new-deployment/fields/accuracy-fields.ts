import { isLowerBetter } from '../../../../main/contract/metric-bound';
import type { Field, FieldContext, Section } from './field';

const kinds = [
  ['atol', 'Absolute', 'The largest difference that always counts as equal.'],
  ['rtol', 'Relative', 'Added to it: a part of the framework’s value.'],
  [
    'maxMismatch',
    'Share outside',
    'The part of the values, 0 to 1, that may differ by more: for class numbers.',
  ],
] as const;

/** The limits for every output, and for each by its name. */
function toleranceFields(context: FieldContext): readonly Field[] {
  const outputs = context.preset.signature.outputs.map(({ name }) => name);
  return ['*', ...outputs].flatMap((name) =>
    kinds.map(([kind, label, help]): Field => ({
      keys: ['accuracy', kind, name],
      label: name === '*' ? `${label}, every output` : `${label}, ${name}`,
      term: name === '*' ? kind : `${kind} ${name}`,
      help: name === '*' ? help : 'Empty: as for every output.',
      control: { kind: 'decimal', placeholder: name === '*' ? '' : 'as every output' },
    })),
  );
}

/** When a deployment counts as right. */
export function accuracySections(context: FieldContext): readonly Section[] {
  return [
    {
      title: 'Outputs, framework against Triton',
      note: 'The same samples run in the framework and on Triton. Values agree when they differ by no more than absolute + relative × value.',
      fields: toleranceFields(context),
    },
    {
      title: 'Metrics',
      fields: [
        {
          keys: ['accuracy', 'maxMetricDelta'],
          label: 'Largest metric difference',
          term: 'max-metric-delta',
          help: 'Between a metric on Triton and in the framework.',
          control: { kind: 'number', min: 0, step: 0.005 },
        },
        ...context.preset.metrics.map((metric): Field => ({
          keys: ['accuracy', 'thresholds', metric.name],
          label: `${isLowerBetter(metric) ? 'Highest' : 'Lowest'} ${metric.title}`,
          term: `threshold ${metric.name}`,
          help: isLowerBetter(metric)
            ? 'Lower is better; the gate does not pass above it.'
            : 'The gate does not pass below it. 0: no limit.',
          control: { kind: 'number', min: 0, step: 0.01, placeholder: 'no limit' },
        })),
      ],
    },
    {
      title: 'When the gate does not pass',
      fields: [
        {
          keys: ['accuracy', 'allowUnverified'],
          label: 'Go on unverified',
          term: 'allow-unverified',
          help: 'Measure all the same; every result is then marked “unverified”. Else the run ends there.',
          wide: true,
          control: { kind: 'flag' },
        },
      ],
    },
  ];
}
