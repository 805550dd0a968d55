import { applies, valuesAt, valuesOf } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import type { Scenario } from '../../contract/run/run-events';
import { type MeasuringTurn, ofScenario, plannedTurns } from '../../contract/run/sweep';
import { sameValue } from '../../contract/trees';
import { hashValue } from '../../platform/files';
import type { RunContext } from '../step';

/** Everything that affects a level's value. Later fields count only if set, so that older levels keep their keys. */
export function measuringInputs({ spec }: Pick<RunContext, 'spec'>, scenario: Scenario): unknown {
  const valueAt = valuesAt({ ...spec, performance: ofScenario(spec.performance, scenario) });
  return Object.fromEntries(
    performanceFields
      .filter((row) => row.decides === 'level' && applies(row, valueAt))
      .map((row) => [row.path, valueAt(row.path), valuesOf(row).default] as const)
      .filter(([, value, usual]) => value !== undefined && !sameValue(value, usual))
      .map(([path, value]) => [path, value]),
  );
}

/** Repetitions, tools and traces, which affect a sweep but not its measurements. */
export function repeatInputs({ spec }: Pick<RunContext, 'spec'>): readonly unknown[] {
  const { repeats, crossCheck, traceRequests = 0 } = spec.performance;
  return [
    ...(repeats === 1 ? [] : [{ repeats }]),
    ...(crossCheck ? [{ crossCheck }] : []),
    ...(traceRequests === 0 ? [] : [{ traceRequests }]),
  ];
}

type KeyedRun = Pick<RunContext, 'spec' | 'keys'>;

/** The first measurement with the chosen tool has the key of an unrepeated level. @param edited see `editedConfig` */
export function keyOfLevel(
  run: KeyedRun,
  edited: string | null,
  scenario: Scenario,
  { level, repeat, loadTool }: MeasuringTurn,
): string {
  const turn = {
    ...(edited === null ? {} : { edited }),
    ...(repeat === 1 ? {} : { repeat }),
    ...(loadTool === ofScenario(run.spec.performance, scenario).loadTool ? {} : { loadTool }),
  };
  const parts = [run.keys.deploy, run.keys['profile-data'], measuringInputs(run, scenario), scenario, level];
  return hashValue(Object.keys(turn).length === 0 ? parts : [...parts, turn]).slice(0, 32);
}

/** Keys of the requested levels; empty for searches, which choose levels later. */
export function askedLevels(run: KeyedRun, edited: string | null, scenario: Scenario): readonly string[] {
  const { performance } = run.spec;
  if (scenario === 'online' && performance.search !== 'none') return [];
  return plannedTurns(performance, scenario).map((turn) => keyOfLevel(run, edited, scenario, turn));
}
