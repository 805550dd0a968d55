import type { WizardPage } from '../../../stores/draft/wizard-page';
import { wizardPages } from '../../../stores/draft/wizard-page';
import { accuracySections } from './accuracy-fields';
import { configureSections } from './configure-fields';
import { environmentSections } from './environment-fields';
import { exportSections } from './export-fields';
import type { Field, FieldContext, Section } from './field';
import { modelSections } from './model-fields';
import { performanceSections } from './performance-fields';
import { reviewSections } from './review-fields';

const sections: Readonly<Record<WizardPage, (context: FieldContext) => readonly Section[]>> = {
  environment: environmentSections,
  model: modelSections,
  export: exportSections,
  configure: configureSections,
  accuracy: accuracySections,
  performance: performanceSections,
  review: reviewSections,
};

export const sectionsOf = (page: WizardPage, context: FieldContext): readonly Section[] =>
  sections[page](context);

/** Every field of every page, in the order of the wizard. */
export const allFields = (context: FieldContext): readonly Field[] =>
  wizardPages.flatMap((page) => sectionsOf(page, context).flatMap((section) => section.fields));
