import { applies, rowOf, valuesAt } from '../../contract/fields/fields';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { bySource } from '../../contract/run/run-source';
import type { RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { ofScenario, scenarioLevels } from '../../contract/run/sweep';

export function isInTurns(spec: Pick<RunSpec, 'performance' | 'engine'>, scenario: Scenario): boolean {
  const performance = ofScenario(spec.performance, scenario);
  const row = rowOf('performance.inTurns');
  return (
    performance.inTurns === true &&
    row !== undefined &&
    applies(row, valuesAt({ ...spec, performance })) &&
    scenarioLevels(performance, scenario).length > 1
  );
}

/** Levels are measured in turns, so that none is complete before the last round. */
export const measuresInTurns = ({ source }: Pick<RunState, 'source'>): boolean =>
  bySource(source, {
    deployed: (spec) => scenarios.some((scenario) => isInTurns(spec, scenario)),
    server: ({ inTurns }) => inTurns,
    imported: () => false,
  });
