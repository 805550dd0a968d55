import type { StepId } from './run-events';
import { stepIds } from './run-events';

/** Titles of the steps, for window, CLI and reports. */
export const stepTitle: Readonly<Record<StepId, string>> = {
  images: 'Prepare images',
  'prepare-data': 'Prepare data',
  export: 'Export model',
  convert: 'Convert model',
  configure: 'Configure',
  deploy: 'Deploy on Triton',
  accuracy: 'Check accuracy',
  'profile-data': 'Prepare profiling data',
  offline: 'Measure offline',
  online: 'Measure online',
  report: 'Write report',
};

/** The same of a step that another version may have had. */
export function stepTitleOf(step: string): string {
  const id = stepIds.find((known) => known === step);
  return id === undefined ? step : stepTitle[id];
}
