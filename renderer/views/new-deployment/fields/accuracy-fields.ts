import { isLowerBetter } from '../../../../main/contract/words';
import type { Field, FieldContext, Section } from './field';
import { formField, namedField } from './form-field';

/** The limits for every output, and for each by its name. */
function toleranceFields(context: FieldContext): readonly Field[] {
  const outputs = context.preset.signature.outputs.map(({ name }) => name);
  return ['*', ...outputs].flatMap((name) =>
    ['atol', 'rtol', 'maxMismatch'].map((kind): Field => {
      const path = `accuracy.${kind}.*`;
      const field = namedField(path, name, context);
      return name === '*'
        ? { ...field, label: `${field.label}, every output`, control: { kind: 'decimal', placeholder: '' } }
        : {
            ...field,
            label: `${field.label}, ${name}`,
            term: `${field.term} ${name}`,
            help: 'Empty: as for every output.',
          };
    }),
  );
}

/** When a deployment counts as right. */
export function accuracySections(context: FieldContext): readonly Section[] {
  return [
    {
      title: 'Outputs, framework against Triton',
      note: 'The same samples run in the framework and on Triton. Values agree when they differ by no more than absolute + relative × value.',
      fields: [...toleranceFields(context), formField('accuracy.samples', context)],
    },
    {
      title: 'Metrics',
      fields: [
        formField('accuracy.maxMetricDelta', context, { control: { kind: 'number', min: 0, step: 0.005 } }),
        ...context.preset.metrics.map((metric) =>
          namedField('accuracy.thresholds.*', metric.name, context, {
            label: `${isLowerBetter(metric) ? 'Highest' : 'Lowest'} ${metric.title}`,
            term: `threshold ${metric.name}`,
            help: isLowerBetter(metric)
              ? 'Lower is better; the gate fails above it.'
              : 'The gate fails below it. 0: no limit.',
            control: { kind: 'number', min: 0, step: 0.01, placeholder: 'no limit' },
          }),
        ),
      ],
    },
    {
      title: 'When the gate fails',
      fields: [formField('accuracy.allowUnverified', context, { wide: true })],
    },
  ];
}
