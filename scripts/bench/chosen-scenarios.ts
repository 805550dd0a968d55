import { type BenchScenario, scenarios } from './scenarios';
import { titleOf } from './table';

/** The scenarios whose title holds the text; all for an empty one. Throws, with the titles, when there is none. */
export function chosenScenarios(only: string): readonly BenchScenario[] {
  const chosen = scenarios.filter((scenario) => titleOf(scenario).includes(only));
  if (chosen.length > 0) return chosen;
  const titles = scenarios.map((scenario) => `  ${titleOf(scenario)}`);
  throw new Error(
    [
      `--only: no scenario has "${only}" in its title.`,
      'Give a part of one of these titles, in the same case:',
      ...titles,
    ].join('\n'),
  );
}
