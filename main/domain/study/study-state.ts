import { statusLabel } from '../../contract/run/run-outcome';
import type { RunState } from '../../contract/run/run-state';
import {
  type Study,
  type StudyState,
  type StudySummary,
  type TrialState,
  unknownTrial,
} from '../../contract/study/study';
import { present } from '../../contract/trees';
import { statesSentence } from '../measured/matrix';
import type { MatrixResult } from '../measured/matrix-result';
import { largestOf } from '../statistics';
import { duelOf, duelSummary } from './duel/duel-study';
import { jointOf, jointSummary } from './joint/joint-study';
import { searchOf, searchSummary } from './search/search-study';
import { soakOf, soakSummary } from './soak/soak-study';
import { upgradeOf, upgradeSummary } from './upgrade/upgrade-study';

type Status = RunState['status'];

/** Done, or never to be run. */
export const isComplete = ({ leftOut, error, state }: MatrixResult): boolean =>
  leftOut !== null || (error === null && state?.status === 'done');

type Known = Omit<MatrixResult, 'state'> & { readonly runId: string | null };

/** From the journal, or from the spec before it has one. */
function trialAt({ spec, trials: placed }: Study, at: number): Known {
  const known: TrialState = placed[at + 1] ?? unknownTrial;
  const asked = known.axes === undefined ? spec.strategy.trials[at] : undefined;
  const choice = asked?.choice;
  const { leftOut, error, runId, hosts, axes = asked?.axes ?? [] } = known;
  return {
    number: at + 1,
    spec: null,
    runId,
    error,
    axes,
    leftOut: asked?.refusal ?? leftOut,
    ...present({ hosts, choice }),
  };
}

export function trialsOf(study: Study): readonly Known[] {
  const numbers = Object.keys(study.trials).map(Number);
  const length = largestOf([study.spec.strategy.trials.length, ...numbers]);
  return Array.from({ length }, (_unused, at) => trialAt(study, at));
}

/** Errors before the run's start are dropped. */
export const withRun = ({ error, ...known }: Known, state: RunState | null): MatrixResult => ({
  ...known,
  state,
  error: state?.status === 'done' ? null : error,
});

interface Row {
  readonly leftOut: string | null;
  readonly isRefused: boolean;
  readonly status: Status | null;
}

const isOver = ({ leftOut, status }: Row): boolean => leftOut !== null || status === 'done';

const labelOf = ({ leftOut, isRefused, status }: Row): string => {
  if (leftOut !== null) return 'Left out';
  if (isRefused && status !== 'done') return 'Not run';
  return statusLabel(status ?? 'created');
};

/** Its kind, or what it asks for, is not of this version. */
export const isOfNewer = (study: Study): boolean =>
  study.spec.strategy.kind !== 'matrix' &&
  [searchOf, jointOf, duelOf, soakOf, upgradeOf].every((of) => of(study) === null);

/** A process or its jobs work on it. */
function stateOf({ outcome, isStarted }: Study, rows: readonly Row[], isHeld: boolean): StudyState {
  if (isHeld || (outcome === null && rows.some(({ status }) => status === 'running'))) return 'running';
  if (isStarted && rows.every(isOver)) return 'done';
  if (outcome !== null && outcome !== 'done') return outcome;
  return isStarted ? 'paused' : 'planned';
}

const hasEnded: ReadonlySet<Status | null> = new Set(['done', 'failed']);

/** From 1; undefined: all have ended. */
function currentOf(rows: readonly Row[]): number | undefined {
  const running = rows.findIndex(({ status }) => status === 'running');
  const next = rows.findIndex(
    ({ leftOut, isRefused, status }) => leftOut === null && !isRefused && !hasEnded.has(status),
  );
  const at = running === -1 ? next : running;
  return at === -1 ? undefined : at + 1;
}

const counts = (rows: readonly Row[]) => ({
  sentence: rows.length === 0 ? '0 runs' : statesSentence(rows.map(labelOf)),
  runs: rows.length,
  complete: rows.filter(({ status }) => status === 'done').length,
});

/**
 * @param statusOf undefined: the run no longer exists
 * @param isHeld a live process works on it
 */
export function summaryOf(
  study: Study,
  statusOf: (runId: string) => Status | undefined,
  isHeld: boolean,
): StudySummary {
  const search = searchOf(study);
  if (search !== null) return searchSummary(study, search, isHeld);
  const joint = jointOf(study);
  if (joint !== null) return jointSummary(study, joint, isHeld);
  const duel = duelOf(study);
  if (duel !== null) return duelSummary(study, duel, isHeld);
  const soak = soakOf(study);
  if (soak !== null) return soakSummary(study, soak, isHeld);
  const upgrade = upgradeOf(study);
  if (upgrade !== null) return upgradeSummary(study, upgrade, isHeld);
  const { name, createdAt, updatedAt, isStarted, outcome } = study;
  const rows = trialsOf(study).map(({ leftOut, error, runId }): Row => ({
    leftOut,
    isRefused: error !== null,
    status: (runId === null ? undefined : statusOf(runId)) ?? null,
  }));
  const state = stateOf(study, rows, isHeld);
  const interrupted = state === 'paused' && isStarted && outcome === null;
  return {
    name,
    state,
    interrupted,
    createdAt,
    updatedAt,
    error: study.error,
    isKept: true,
    ...counts(rows),
    ...present({ currentRun: state === 'running' ? currentOf(rows) : undefined }),
  };
}

/** Matrix of an earlier version, which left only runs; oldest first. */
export function unkeptSummary(
  name: string,
  runs: readonly { readonly status: Status; readonly createdAt: string; readonly updatedAt: string }[],
): StudySummary {
  const rows = runs.map(({ status }): Row => ({ leftOut: null, isRefused: false, status }));
  const has = (status: Status) => runs.some((run) => run.status === status);
  const state = has('running')
    ? 'running'
    : rows.every(isOver)
      ? 'done'
      : has('failed')
        ? 'failed'
        : 'paused';
  const updated = runs.map(({ updatedAt }) => updatedAt).toSorted();
  return {
    name,
    state,
    interrupted: false,
    error: null,
    isKept: false,
    createdAt: runs[0]?.createdAt ?? '',
    updatedAt: updated.at(-1) ?? '',
    ...counts(rows),
  };
}
