import { checkSteps } from './plan';
import { accuracyStep } from './steps/accuracy.step';
import { configureStep } from './steps/configure.step';
import { convertStep } from './steps/convert.step';
import { deployStep } from './steps/deploy.step';
import { exportStep } from './steps/export.step';
import { imagesStep } from './steps/images.step';
import { offlineStep, onlineStep } from './steps/measure.step';
import { prepareDataStep } from './steps/prepare-data.step';
import { profileDataStep } from './steps/profile-data.step';
import { reportStep } from './steps/report.step';

/** The pipeline, in order. */
export const steps = checkSteps([
  imagesStep,
  prepareDataStep,
  exportStep,
  convertStep,
  configureStep,
  deployStep,
  accuracyStep,
  profileDataStep,
  offlineStep,
  onlineStep,
  reportStep,
]);
