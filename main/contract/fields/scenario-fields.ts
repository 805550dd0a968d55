import { type Scenario, scenarios } from '../run/run-events';
import type { FieldRow } from './field';
import { performanceFields } from './performance-fields';

/** Fields of the load that a scenario may have otherwise than the other, as in the published procedures. */
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

/** What one scenario does otherwise than both. */
export const scenarioFields: readonly FieldRow[] = scenarios.flatMap((scenario) =>
  performanceFields
    .filter(({ path }) => apart.some((name) => path === `performance.${name}`))
    .map((row) => ofScenario(row, scenario)),
);
