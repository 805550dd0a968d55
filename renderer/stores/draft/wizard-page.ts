import { type StepId, stepIds } from '../../../main/contract/run/run-events';

export const wizardPages = [
  'environment',
  'model',
  'export',
  'configure',
  'accuracy',
  'performance',
  'review',
] as const;
export type WizardPage = (typeof wizardPages)[number];

export const pageTitle: Readonly<Record<WizardPage, string>> = {
  environment: 'Environment',
  model: 'Model',
  export: 'Export & convert',
  configure: 'Configure',
  accuracy: 'Accuracy',
  performance: 'Performance',
  review: 'Review & run',
};

/** Steps of the run that a page decides about. */
export const stepsOfPage: Readonly<Record<WizardPage, readonly StepId[]>> = {
  environment: ['images', 'deploy'],
  model: ['prepare-data', 'export'],
  export: ['export', 'convert'],
  configure: ['configure', 'deploy'],
  accuracy: ['accuracy'],
  performance: ['profile-data', 'offline', 'online'],
  review: stepIds,
};

const pageOfPart: Readonly<Record<string, WizardPage>> = {
  engine: 'environment',
  targetGpu: 'model',
  model: 'model',
  format: 'export',
  precision: 'export',
  onnxOpset: 'export',
  tensorrt: 'export',
  configure: 'configure',
  accuracy: 'accuracy',
  performance: 'performance',
};

/** The page on which a field of the specification stands; what belongs to none is reviewed at the end. */
export function pageOf(field: string): WizardPage {
  const part = field.split('.')[0] ?? '';
  return (Object.hasOwn(pageOfPart, part) ? pageOfPart[part] : undefined) ?? 'review';
}

export const isWizardPage = (page: string): page is WizardPage =>
  (wizardPages as readonly string[]).includes(page);
