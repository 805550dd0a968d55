import { WorkbenchError } from '../../contract/errors';
import { isSteady } from '../../contract/flag-text';
import type { LoadPoint } from '../../contract/measured/results';
import { formatCount, formatDuration } from '../../contract/numbers';
import type { AgainLevel, Scenario } from '../../contract/run/run-events';
import { bySource } from '../../contract/run/run-source';
import { longestTimerMs, type PerformanceSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { itemsPerRequest, loadKey, ofScenario } from '../../contract/run/sweep';
import { levelText } from '../../contract/words';
import { isInTurns } from '../run/in-turns';
import { type Answer, answerOf, enoughRequests, levelDoubts, levelFigures, p99HalfUs } from './answer';
import { type BestPoint, measuredPoints } from './points';
import { shapeAnswer } from './shape-text';

/** Target half-width of p99's interval in longer windows, as a share of p99. */
const wantedShare = 0.1;
/** Factor for a level that was not steady, whose needed time is unknown. */
const timesOfUnsteady = 4;
const [fewestTimes, mostTimes] = [2, 64];
/** Factor on requests, as the machine may be slower the second time. */
const spare = 1.4;
/** Fewer windows than in the first measurement, as each is longer. */
const mostTrials = 5;
const windowsOfSteady = 3;

type Windows = Pick<PerformanceSpec, 'measurementIntervalMs' | 'measurementRequestCount' | 'maxTrials'> &
  Partial<Pick<PerformanceSpec, 'requestCount'>>;

/** Levels of "again, longer", and the least and most time that takes, microseconds. */
export interface MeasureAgain {
  readonly levels: readonly AgainLevel[];
  readonly leastUs: number;
  readonly mostUs: number;
}

/** @param times factor of the window length; 1: unchanged */
export function inLongerWindows<Settings extends Windows>(settings: Settings, times: number): Settings {
  if (times === 1) return settings;
  return {
    ...settings,
    measurementIntervalMs: Math.min(longestTimerMs, settings.measurementIntervalMs * times),
    measurementRequestCount: settings.measurementRequestCount * times,
    requestCount: (settings.requestCount ?? 0) * times,
    maxTrials: Math.min(settings.maxTrials, mostTrials),
  };
}

/** An interval shrinks with the square root of its requests. */
function timesOf(point: LoadPoint): number {
  const half = p99HalfUs(point);
  const ofInterval = half === null ? 1 : (half / point.p99Us / wantedShare) ** 2;
  const requests = point.requestCount === null ? null : point.requestCount / (point.repeats?.count ?? 1);
  const ofCount = requests === null || requests === 0 ? 1 : (spare * enoughRequests) / requests;
  const ofSteadiness = isSteady(point) ? 1 : timesOfUnsteady;
  const more = Math.max(fewestTimes, Math.ceil(Math.max(ofInterval, ofCount)), ofSteadiness);
  return Math.min(mostTimes, (point.longer ?? 1) * more);
}

/** One measurement of a level with three windows, and with the most it may have. */
function spanUs(
  { point }: BestPoint,
  settings: PerformanceSpec,
  { times, inTurns }: { readonly times: number; readonly inTurns: boolean },
): readonly [leastUs: number, mostUs: number] {
  const longer = inLongerWindows(settings, times);
  const requestUs = (1e6 * itemsPerRequest(point)) / point.inferencesPerSecond;
  const warmupUs = 1000 * settings.warmupMs;
  if (longer.requestCount > 0) return [longer.requestCount * requestUs, longer.requestCount * requestUs];
  const windowUs =
    longer.measurementMode === 'count_windows'
      ? longer.measurementRequestCount * requestUs
      : 1000 * longer.measurementIntervalMs;
  const most = inTurns ? windowsOfSteady : longer.maxTrials;
  const least = Math.min(windowsOfSteady, most);
  return [warmupUs + least * windowUs, warmupUs + most * windowUs];
}

const hasEnded = ({ status }: RunState): boolean => status !== 'running' && status !== 'created';

/** Settings of a scenario's measurement; null for another tool's figures. */
const measuredHow = (
  { source }: RunState,
  scenario: Scenario,
): { readonly settings: PerformanceSpec; readonly inTurns: boolean } | null =>
  bySource(source, {
    deployed: (spec) => ({
      settings: ofScenario(spec.performance, scenario),
      inTurns: isInTurns(spec, scenario),
    }),
    server: ({ settings, inTurns }) => ({ settings, inTurns }),
    imported: () => null,
  });

/** What would make an ended run's answer surer; null where nothing would. */
export function againOf(state: RunState, answer: Answer | null = answerOf(state)): MeasureAgain | null {
  if (answer === null || answer.again.length === 0 || !hasEnded(state)) return null;
  const levels: AgainLevel[] = [];
  const sum = { leastUs: 0, mostUs: 0 };
  for (const best of answer.again) {
    const { scenario, point } = best;
    const key = loadKey(point);
    // A trace has as many requests as it has, and stages are as long as they are.
    if ((point.replay ?? point.stages) !== undefined) continue;
    // Models measured at the same time share a level.
    if (levels.some((other) => other.scenario === scenario && loadKey(other) === key)) continue;
    const how = measuredHow(state, scenario);
    if (how === null) return null;
    const times = timesOf(point);
    // It had the longest windows and is still in doubt.
    if (times === point.longer) continue;
    const { batchSize, concurrency, requestRate } = point;
    levels.push({
      scenario,
      batchSize,
      concurrency,
      ...(requestRate === undefined ? {} : { requestRate }),
      times,
    });
    const [leastUs, mostUs] = spanUs(best, how.settings, { times, inTurns: how.inTurns });
    const measured = point.repeats?.count ?? 1;
    sum.leastUs += measured * leastUs;
    sum.mostUs += measured * mostUs;
  }
  return levels.length === 0 ? null : { levels, ...sum };
}

/** null also for a foreign run, which must be trusted first. */
export const offeredAgain = (
  state: RunState,
  answer: Answer | null = answerOf(state),
): MeasureAgain | null => (state.origin === 'foreign' ? null : againOf(state, answer));

/** Throws input-invalid where there is nothing to measure again. */
export function requireAgain(state: RunState): MeasureAgain {
  const again = againOf(state);
  if (again !== null) return again;
  throw new WorkbenchError(
    'input-invalid',
    'This run has no inconclusive level that longer windows could settle',
    {
      where: state.runId,
      remedy: 'To measure all levels again, rerun from the first of them: --from offline.',
    },
  );
}

export const againTitle = ({ levels }: MeasureAgain): string =>
  `Measure ${formatCount(levels.length)} ${levels.length === 1 ? 'level' : 'levels'} again, longer`;

/** "online, batch size 1, concurrency 4, in windows 8 times as long". */
export const againLevelText = ({ scenario, times, ...level }: AgainLevel): string =>
  `${scenario}, ${levelText(level)}, in windows ${formatCount(times)} times as long`;

/** "21.0 s", "21.0 s to 1 min 05 s": measuring only. */
export function againTime({ leastUs, mostUs }: MeasureAgain): string {
  const [least, most] = [formatDuration(leastUs), formatDuration(mostUs)];
  return least === most ? least : `${least} to ${most}`;
}

/** "measured again, windows 4 times as long"; null of a level that was not. */
export const longerText = ({ longer }: Pick<LoadPoint, 'longer'>): string | null =>
  longer === undefined ? null : `measured again, windows ${formatCount(longer)} times as long`;

/** Of levels whose load has stages: what each came to, in place of a best level; with their doubts. */
function stagesLines(levels: readonly BestPoint[]): readonly string[] {
  return levels.flatMap((level) => {
    const { point } = level;
    const found = shapeAnswer(point);
    const name =
      levels.length === 1
        ? ''
        : `${point.model === undefined ? '' : `${point.model}, `}${levelText(point)}: `;
    const lines = found.length === 0 ? [`With these stages: ${levelFigures(level, null)}.`] : found;
    return [
      ...lines.map((line) => `${name}${line}`),
      ...levelDoubts(level).map(({ text }) => `! ${name}${text}.`),
    ];
  });
}

/** Terminal lines: the answer, its doubts, and how to settle them. */
export function answerLines(state: RunState): readonly string[] {
  const answer = answerOf(state);
  if (answer === null) return [];
  const staged = measuredPoints(state).filter(({ point }) => point.stages !== undefined);
  // Stages have no best level; their offline levels do.
  if (staged.length > 0 && answer.level?.point.stages !== undefined) return stagesLines(staged);
  const again = offeredAgain(state, answer);
  return [
    `${answer.sentence}.`,
    ...answer.doubts.map(({ text }) => `! ${text}.`),
    ...(again === null
      ? []
      : [`${againTitle(again)} (${againTime(again)}): triton-workbench resume ${state.runId} --again`]),
    ...stagesLines(staged),
  ];
}
