import { scenarioFields } from '../../../../main/contract/fields/accuracy-fields';
import { type LoadGroup, loadGroups } from '../../../../main/contract/fields/field';
import { performanceFields } from '../../../../main/contract/fields/performance-fields';
import { stepIds } from '../../../../main/contract/run/run-events';
import { isLowerBetter, stepTitle } from '../../../../main/contract/words';
import { type WizardPage, wizardPages } from '../../../stores/draft/wizard-page';
import { environmentSections } from './environment-fields';
import type { Field, FieldContext, Section } from './field';
import { formField, namedField } from './form-field';
import { modelSections } from './model-fields';
import { configureSections, exportSections, isAsIs } from './serving-fields';

function toleranceFields(context: FieldContext): readonly Field[] {
  const outputs = context.preset.signature.outputs.map(({ name }) => name);
  return ['*', ...outputs].flatMap((name) =>
    ['atol', 'rtol', 'maxMismatch'].map((kind): Field => {
      const path = `accuracy.${kind}.*`;
      const field = namedField(path, name, context);
      return name === '*'
        ? {
            ...field,
            label: `${field.label}, every output`,
            control: { kind: 'decimal', placeholder: kind === 'maxMismatch' ? 'none' : '' },
          }
        : {
            ...field,
            label: `${field.label}, ${name}`,
            term: `${field.term} ${name}`,
            help: 'Empty: as for every output.',
          };
    }),
  );
}

/** Its outputs have no metrics, so that kept ones can be the reference. */
function isOwnFile({ value }: FieldContext): boolean {
  const kind = value('model', 'source', 'kind');
  return kind !== undefined && kind !== 'folder' && kind !== 'huggingface' && kind !== 'trees';
}

/** A repository has no framework: without a golden file nothing is compared. */
const goldenOfRepository = {
  wide: true,
  help: 'Recorded inputs and outputs that the responses are compared with; "golden record" writes them.',
  control: { kind: 'path', pathKind: 'file', placeholder: 'none: outputs are not checked' },
} as const;

const agreement = 'Values agree when they differ by no more than absolute + relative × value.';

function accuracySections(context: FieldContext): readonly Section[] {
  const asIs = isAsIs(context.preset);
  const golden = formField('accuracy.golden', context, asIs ? goldenOfRepository : {});
  return [
    {
      title: asIs ? 'Outputs, golden file against Triton' : 'Outputs, framework against Triton',
      note: asIs
        ? `The inputs of the golden file are sent to Triton. ${agreement}`
        : `The same samples run in the framework and on Triton. ${agreement}`,
      fields: [
        ...toleranceFields(context),
        formField('accuracy.samples', context),
        ...(isOwnFile(context) ? [golden] : []),
      ],
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

const loadTitles: Readonly<Record<LoadGroup, string>> = {
  offline: 'Offline: one request at a time',
  online: 'Online: many clients',
  requests: 'Requests',
  generation: 'Tokens of a language model',
  sequences: 'Sequences of a stateful model',
  windows: 'When a level is measured',
  apart: 'Offline and online separately',
};

const loadForms: Readonly<Record<string, Partial<Omit<Field, 'keys'>>>> = {
  'performance.batchSizes': { wide: true },
  'performance.concurrency': { wide: true, control: { kind: 'sweep' } },
  'performance.requestRates': { wide: true },
  'performance.inputData': { wide: true },
  'performance.measurementMode': { wide: true },
};

const performanceSections = (context: FieldContext): readonly Section[] =>
  loadGroups.map((group) => {
    const fields = [...performanceFields, ...scenarioFields]
      .filter((row) => row.group === group && row.internal !== true && row.serverOnly !== true)
      .map(({ path }) => formField(path, context, loadForms[path]));
    return {
      title: loadTitles[group],
      fields,
      ...(group === 'sequences' ? { folded: fields.every(({ idle }) => idle !== undefined) } : {}),
      ...(group === 'apart'
        ? { folded: fields.every(({ keys }) => context.value(...keys) === undefined) }
        : {}),
    };
  });

function reviewSections(context: FieldContext): readonly Section[] {
  const steps = stepIds.filter((id) => id !== 'images' || context.value('engine', 'kind') === 'docker');
  return [
    {
      title: 'Deadlines',
      folded: true,
      note: 'A step that takes longer is stopped, and the run fails. Empty: the step’s default.',
      fields: steps.map((step) =>
        namedField('deadlines.*', step, context, {
          label: stepTitle[step],
          term: `deadlines.${step}`,
          help: '',
          control: { kind: 'integer', min: 1, suffix: ' s', placeholder: 'the step’s default' },
        }),
      ),
    },
  ];
}

export const sectionsOf: Readonly<Record<WizardPage, (context: FieldContext) => readonly Section[]>> = {
  environment: environmentSections,
  model: modelSections,
  export: exportSections,
  configure: configureSections,
  accuracy: accuracySections,
  performance: performanceSections,
  review: reviewSections,
};

export const allFields = (context: FieldContext): readonly Field[] =>
  wizardPages.flatMap((page) => sectionsOf[page](context).flatMap((section) => section.fields));
