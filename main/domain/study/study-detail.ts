import { performanceOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import type { Study, StudyDetail, StudyPlan, StudyRow, StudySummary } from '../../contract/study/study';
import { byLength } from '../measured/by-length';
import { matrixDocument } from '../measured/matrix';
import type { MatrixResult } from '../measured/matrix-result';
import { estimateTimeLeft, plannedMeasuringS, timeLeftText, underWayText } from '../run/time-left';
import { largestOf } from '../statistics';
import { duelOf, duelRows, duelSecondsLeft, duelWinner } from './duel/duel-study';
import { jointOf, jointProgress, jointRows, jointSecondsLeft } from './joint/joint-study';
import { matrixBest } from './matrix-best';
import { searchOf, searchSecondsLeft, searchWinner } from './search/search-study';
import { progressText } from './search/search-text';
import { soakedOf, soakOf, soakProgress, soakSecondsLeft, soakStudyRows } from './soak/soak-study';
import {
  upgradedOf,
  upgradeOf,
  upgradeProgress,
  upgradeSecondsLeft,
  upgradeStudyRows,
} from './upgrade/upgrade-study';

function rowsOf(name: string, results: readonly MatrixResult[]): readonly StudyRow[] {
  const { runs } = matrixDocument(name, results);
  return runs.map(({ number, gpu, host, runId, state, reason, accuracy, offline, online }, at): StudyRow => ({
    number,
    gpu,
    host,
    runId,
    state,
    reason,
    accuracy,
    offline,
    online,
    axes: [...(results[at]?.axes ?? [])],
    status: results[at]?.state?.status ?? null,
  }));
}

const secondsOf = ({ steps }: RunState): number =>
  steps.reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0) / 1e6;

/** Mean of complete runs, or measuring time by settings. */
function secondsOfNext(states: readonly RunState[]): number | null {
  const complete = states.filter(({ status }) => status === 'done').map(secondsOf);
  if (complete.length > 0) return complete.reduce((sum, one) => sum + one, 0) / complete.length;
  const performance = states[0] === undefined ? null : performanceOf(states[0]);
  return performance === null ? null : plannedMeasuringS(performance);
}

/** Estimate; null where unknown. */
export function studySecondsLeft(results: readonly MatrixResult[], nowMs: number): number | null {
  const states = results.flatMap(({ state }) => state ?? []);
  const each = secondsOfNext(states);
  if (each === null) return null;
  const running = states.filter(({ status }) => status === 'running');
  const left = running.map(
    (state) => estimateTimeLeft(state, nowMs)?.seconds ?? Math.max(0, each - secondsOf(state)),
  );
  const waiting = results.filter(
    ({ leftOut, error, state }) =>
      leftOut === null && error === null && state?.status !== 'done' && state?.status !== 'running',
  ).length;
  return (left.length === 0 ? 0 : largestOf(left)) + (waiting * each) / Math.max(1, running.length);
}

/** "Run 2 of 6: level 3 of 8, about 27 s left", one per run in progress. */
const underWayOf = (results: readonly MatrixResult[], nowMs: number): readonly string[] =>
  results.flatMap(({ number, state }) => {
    const text = state === null ? null : underWayText(state);
    if (state === null || text === null) return [];
    const left = estimateTimeLeft(state, nowMs);
    return `Run ${number} of ${results.length}: ${text}${left === null ? '' : `, ${timeLeftText(left)}`}`;
  });

type OwnDetail = Pick<
  StudyDetail,
  'rows' | 'winner' | 'search' | 'joint' | 'soak' | 'upgrade' | 'underWay' | 'secondsLeft'
>;

/** Of a study that measures by itself, side by side; null: it is of runs, or a search of one model. */
function measuredDetail(study: Study, isRunning: boolean): OwnDetail | null {
  const joint = jointOf(study);
  if (joint !== null) {
    return {
      ...{ rows: jointRows(study, joint), winner: null, search: null },
      joint: { joint, searched: study.searched },
      underWay: isRunning ? [jointProgress(joint, study)] : [],
      secondsLeft: isRunning ? jointSecondsLeft(study, joint) : null,
    };
  }
  const soak = soakOf(study);
  if (soak !== null) {
    return {
      ...{ rows: soakStudyRows(study, soak), winner: null, search: null, joint: null },
      soak: { soak, soaked: soakedOf(study), place: study.searched.place ?? null },
      underWay: isRunning ? [soakProgress(study, soak)] : [],
      secondsLeft: isRunning ? soakSecondsLeft(study, soak) : null,
    };
  }
  const upgrade = upgradeOf(study);
  if (upgrade !== null) {
    return {
      ...{ rows: upgradeStudyRows(study, upgrade), winner: null, search: null, joint: null },
      upgrade: { upgrade, upgraded: upgradedOf(study), searched: study.searched },
      underWay: isRunning ? [upgradeProgress(study, upgrade)] : [],
      secondsLeft: isRunning ? upgradeSecondsLeft(study, upgrade) : null,
    };
  }
  const duel = duelOf(study);
  if (duel === null) return null;
  return {
    ...{
      rows: duelRows(study, duel),
      winner: duelWinner(study, duel),
      search: null,
      joint: null,
      underWay: [],
    },
    secondsLeft: isRunning ? duelSecondsLeft(study, duel) : null,
  };
}

/**
 * @param study null: a matrix of an earlier version
 * @param nowMs wall clock, milliseconds. Pure.
 */
export function detailOf({ study, summary, results }: StudySource, nowMs: number): StudyDetail {
  const isRunning = summary.state === 'running';
  const search = study === null ? null : searchOf(study);
  if (study !== null && search !== null) {
    const secondsLeft = isRunning ? searchSecondsLeft(study, search) : null;
    return {
      ...summary,
      rows: [],
      winner: searchWinner(study, search),
      search: { search, searched: study.searched },
      joint: null,
      underWay: isRunning ? [progressText(search, study.searched)] : [],
      secondsLeft,
    };
  }
  const own = study === null ? null : measuredDetail(study, isRunning);
  if (own !== null) return { ...summary, ...own };
  const lengths = byLength(results);
  const best = isRunning ? null : matrixBest(results);
  return {
    ...summary,
    rows: rowsOf(summary.name, results),
    ...(best === null ? {} : { best: { sentence: best.sentence, isClear: best.isClear } }),
    ...(lengths.length === 0 ? {} : { byLength: lengths }),
    winner: null,
    search: null,
    joint: null,
    underWay: underWayOf(results, nowMs),
    secondsLeft: isRunning ? studySecondsLeft(results, nowMs) : null,
  };
}

interface StudySource {
  readonly study: Study | null;
  readonly summary: StudySummary;
  readonly results: readonly MatrixResult[];
}

export function planOf(trials: readonly MatrixResult[], notes: readonly string[]): StudyPlan {
  const seconds = trials
    .filter(({ leftOut }) => leftOut === null)
    .map(({ spec }) => (spec === null ? null : plannedMeasuringS(spec.performance)));
  return {
    runs: trials.map(({ number, axes, leftOut }) => ({ number, axes: [...axes], leftOut })),
    notes,
    seconds: seconds.some((one) => one === null)
      ? null
      : seconds.reduce<number>((sum, one) => sum + (one ?? 0), 0),
  };
}
