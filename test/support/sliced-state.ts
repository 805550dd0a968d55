import { stagesOf } from '../../main/contract/load/stages';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { DeployedRun } from '../../main/contract/run/run-state';
import { stagedTimes } from '../../main/domain/arrivals/staged-times';
import { overloadOf, timelineOf } from '../../main/domain/measured/overload/timeline';
import { completeState } from './run-state';
import { simulatedQueue } from './simulated-queue';

/** What a server of 120 requests/s with a queue of 16 does where 100 are promised and twice of it come. */
export function overloadedLevel(): Pick<LoadPoint, 'stages' | 'timeline' | 'overload' | 'refused'> {
  const stages = stagesOf(['step'], 100);
  const times = stagedTimes(stages, { distribution: 'constant', seed: 1 });
  const outcomes = simulatedQueue(times, { serviceUs: 1e6 / 120, queue: 16 });
  const how = { budgetUs: 200_000 };
  const overload = overloadOf(outcomes, stages, { promisedRate: 100, scatter: 0, ...how });
  if (overload === null) throw new Error('The stages are above the promised rate');
  return {
    stages: [...stages],
    timeline: timelineOf(outcomes, { sliceUs: 1e6, spanUs: 40e6, items: 1, ...how }),
    overload,
    refused: { queueFull: 790, timeout: 0, cancelled: 0 },
  };
}

/** A complete run whose online levels had stages. */
export function slicedState(): DeployedRun {
  const state = completeState();
  const { online } = state.scenarios;
  const points = online.points.map((measured) => ({
    ...measured,
    point: { ...measured.point, ...overloadedLevel() },
  }));
  return { ...state, scenarios: { ...state.scenarios, online: { ...online, points } } };
}
