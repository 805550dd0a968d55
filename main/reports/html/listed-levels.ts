import type { LoadPoint } from '../../contract/measured/results';
import type { ReportLevel, ReportScenario } from '../report';

/** More marks than this run into one another in a chart, and nobody reads so many rows. */
const mostListed = 300;

/**
 * A scenario as the page shows it: of a long sweep the level of the answer, the fastest steady one, both ends and levels at
 * even distances between. The CSV and JSON have all.
 */
export function listedLevels(scenario: ReportScenario): ReportScenario {
  const { rows, chosen, budget } = scenario;
  if (rows.length <= mostListed) return scenario;
  const fastest = rows.reduce<LoadPoint | null>(
    (best, { point, steady }) =>
      steady && (point?.inferencesPerSecond ?? 0) > (best?.inferencesPerSecond ?? 0) ? point : best,
    null,
  );
  const named = new Set([fastest, chosen?.point ?? null]);
  const step = Math.ceil(rows.length / mostListed);
  const isListed = ({ point }: ReportLevel, index: number): boolean =>
    index % step === 0 || index === rows.length - 1 || (point !== null && named.has(point));
  const kept = rows.map(isListed);
  return {
    ...scenario,
    rows: rows.filter((_row, index) => kept[index]),
    budget: budget === null ? null : { ...budget, cells: budget.cells.filter((_cell, index) => kept[index]) },
  };
}
