import { rowOf } from '../../../main/contract/fields/fields';
import { type StepId, stepIds } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';

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

/** A field of no page belongs to the review. */
export function pageOf(field: string): WizardPage {
  const part = field.split('.')[0] ?? '';
  return (Object.hasOwn(pageOfPart, part) ? pageOfPart[part] : undefined) ?? 'review';
}

/** By the field that the error names, else by the step; the load page without an error. */
export function pageOfProblem({ error, steps }: Pick<RunState, 'error' | 'steps'>): WizardPage {
  if (error === null) return 'performance';
  if (error.where !== undefined && rowOf(error.where) !== undefined) return pageOf(error.where);
  // A conversion is checked by the same tolerances.
  if (error.code === 'verification-failed' || error.code === 'accuracy-below-threshold') return 'accuracy';
  const failed = steps.find(({ status }) => status === 'failed')?.id;
  const pages = wizardPages.filter((page) => page !== 'review');
  const page = pages.findLast((one) => failed !== undefined && stepsOfPage[one].includes(failed));
  return page ?? 'performance';
}

export const isWizardPage = (page: string): page is WizardPage =>
  (wizardPages as readonly string[]).includes(page);
