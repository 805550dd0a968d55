import { stepIds } from '../../../../main/contract/run/run-events';
import { stepTitle } from '../../../../main/contract/words';
import { type WizardPage, wizardPages } from '../../../stores/draft/wizard-page';
import { accuracySections } from './accuracy-fields';
import { configureSections } from './configure-fields';
import { environmentSections } from './environment-fields';
import { exportSections } from './export-fields';
import type { Field, FieldContext, Section } from './field';
import { namedField } from './form-field';
import { modelSections } from './model-fields';
import { performanceSections } from './performance-fields';

/** How long each step may take. */
function reviewSections(context: FieldContext): readonly Section[] {
  const steps = stepIds.filter((id) => id !== 'images' || context.value('engine', 'kind') === 'docker');
  return [
    {
      title: 'Deadlines',
      folded: true,
      note: 'A step that takes longer is ended and the run fails there. Empty: the step’s default.',
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

/** The sections of each page. */
export const sectionsOf: Readonly<Record<WizardPage, (context: FieldContext) => readonly Section[]>> = {
  environment: environmentSections,
  model: modelSections,
  export: exportSections,
  configure: configureSections,
  accuracy: accuracySections,
  performance: performanceSections,
  review: reviewSections,
};

/** Every field of every page, in the order of the wizard. */
export const allFields = (context: FieldContext): readonly Field[] =>
  wizardPages.flatMap((page) => sectionsOf[page](context).flatMap((section) => section.fields));
