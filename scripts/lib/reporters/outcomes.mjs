import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The environment variable with the file to which the runners write each test's outcome as soon as it is known. */
export const outcomesName = 'TRITON_WORKBENCH_TEST_OUTCOMES';

const mostLines = 30;

/** Appends one: `state` is passed, failed or skipped; `reason` of a failed one. */
export function writeOutcome(outcome) {
  const file = process.env[outcomesName];
  if (file) appendFileSync(file, `${JSON.stringify(outcome)}\n`);
}

/** All that stand in the file. A line that was cut by the end of its runner is left out. */
export function readOutcomes(file) {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

export function countOutcomes(outcomes) {
  const number = (state) => outcomes.filter((outcome) => outcome.state === state).length;
  return { passed: number('passed'), failed: number('failed'), skipped: number('skipped') };
}

/** The failed ones with their reasons, to be printed. */
export const failuresText = (outcomes) =>
  outcomes
    .filter(({ state }) => state === 'failed')
    .map(({ name, reason }) => `FAIL ${name}\n${reason.split('\n').slice(0, mostLines).join('\n')}`)
    .join('\n\n');
