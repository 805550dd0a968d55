import { type Scenario, scenarios } from '../run/run-events';
import type { FieldRow } from './field';
import { performanceFields } from './performance-fields';

/** Load fields that may differ between the scenarios, as in the published procedures. */
const apart = ['loadTool', 'protocol', 'sharedMemory', 'measurementRequestCount'] as const;

const ofScenario = (row: FieldRow, scenario: Scenario): FieldRow => {
  const { path, label, help, term, choices, unit, option } = row;
  return {
    path: path.replace('performance.', `performance.${scenario}.`),
    group: 'apart',
    label: `${label}, ${scenario}`,
    term,
    help,
    ...(choices === undefined ? {} : { choices }),
    ...(unit === undefined ? {} : { unit }),
    absent: 'the value for both scenarios',
    ...(option === undefined ? {} : { option: option.replace('--', `--${scenario}-`) }),
    runOnly: true,
    decides: 'level',
  };
};

export const scenarioFields: readonly FieldRow[] = scenarios.flatMap((scenario) =>
  performanceFields
    .filter(({ path }) => apart.some((name) => path === `performance.${name}`))
    .map((row) => ofScenario(row, scenario)),
);

export const accuracyFields: readonly FieldRow[] = [
  {
    path: 'accuracy.golden',
    label: 'Golden file',
    term: 'golden',
    help: 'Golden file or npz file whose outputs are the reference of a model file, instead of those of its framework.',
    pathKind: 'file',
    absent: 'the framework',
    option: '--golden <file>',
    decides: 'step',
    runOnly: true,
  },
  {
    path: 'accuracy.samples',
    label: 'Samples',
    term: 'limit',
    help: 'Number of samples to compare, from the start of the data set: large models take long in the framework.',
    absent: 'all',
    option: '--accuracy-samples <n>',
    decides: 'step',
  },
  {
    path: 'accuracy.atol.*',
    label: 'Absolute tolerance',
    term: 'atol',
    help: 'Largest difference that always counts as equal.',
    decimal: true,
    absent: 'as for every output',
    default: 1e-3,
    option: '--atol <[output=]value>',
    decides: 'step',
    essential: true,
  },
  {
    path: 'accuracy.rtol.*',
    label: 'Relative tolerance',
    term: 'rtol',
    help: 'Relative tolerance, as a fraction of the framework’s value.',
    decimal: true,
    absent: 'as for every output',
    default: 1e-3,
    option: '--rtol <[output=]value>',
    decides: 'step',
    essential: true,
  },
  {
    path: 'accuracy.maxMismatch.*',
    label: 'Allowed mismatches',
    term: 'maxMismatch',
    help: 'Share of the values, 0 to 1, that may exceed the tolerances, for example class indices.',
    decimal: true,
    absent: 'as for every output',
    decides: 'step',
  },
  {
    path: 'accuracy.maxMetricDelta',
    label: 'Largest metric difference',
    term: 'max-metric-delta',
    help: 'Largest difference between a metric on Triton and in the framework.',
    default: 0.01,
    decides: 'step',
  },
  {
    path: 'accuracy.thresholds.*',
    label: 'Metric threshold',
    term: 'threshold',
    help: 'Lowest allowed value of a metric, or the highest if lower is better.',
    absent: 'no limit',
    option: '--threshold <metric=value>',
    decides: 'step',
    essential: true,
  },
  {
    path: 'accuracy.allowUnverified',
    label: 'Continue unverified',
    term: 'allow-unverified',
    help: 'Measures even if the accuracy gate fails; every result is then marked “accuracy failed”. Otherwise the run stops here.',
    default: false,
    option: '--allow-unverified',
    decides: 'step',
  },
  {
    path: 'deadlines.*',
    label: 'Deadline',
    term: 'deadlines',
    help: 'A step that takes longer is stopped, and the run fails.',
    unit: 's',
    absent: 'the step’s default',
    decides: 'nothing',
  },
];
