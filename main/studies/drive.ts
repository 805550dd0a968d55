import { WorkbenchError } from '../contract/errors';
import { isJobEngine } from '../contract/job/run-job';
import type { StudyOutcome } from '../contract/study/study';
import { sameValue } from '../contract/trees';
import { createNotes } from '../domain/study/notes';
import { isComplete } from '../domain/study/study-state';
import { isDue, notDue } from './begin-trial';
import { workAsJobs } from './job-trials';
import { workInLanes } from './lanes';
import { placed } from './place-trials';
import { planTrials } from './plan-trials';
import { strategyOf } from './strategies';
import {
  type EndedTrial,
  isStopped,
  type PlacedTrial,
  type PlannedTrial,
  type StudySession,
} from './study-hands';

/** Trials with obstacles, and notes for the user. */
export interface Proposal {
  readonly trials: readonly PlacedTrial[];
  readonly notes: readonly string[];
}

/** Result of a study. */
export interface StudyEnd {
  /** By number; null: jobs continue without waiting. */
  readonly results: readonly EndedTrial[] | null;
  /** Stopped before all jobs were submitted. */
  readonly isCutShort: boolean;
}

const mixed = new WorkbenchError('input-invalid', 'A matrix cannot mix runs that are jobs with other runs', {
  where: 'engine.kind',
  remedy: 'Use a matrix for each, and compare their runs.',
});

/** Throws input-invalid for a mixture. */
export function isOfJobs(trials: readonly PlacedTrial[]): boolean {
  const kinds = trials
    .filter(({ leftOut }) => leftOut === null)
    .map(({ spec }) => spec !== null && isJobEngine(spec.engine));
  const asJobs = kinds.includes(true);
  if (asJobs && kinds.includes(false)) throw mixed;
  return asJobs;
}

/** Finds existing runs, and obstacles of the others. */
export async function place(session: StudySession, trials: readonly PlannedTrial[]): Promise<Proposal> {
  const { hands, stops, runOf } = session;
  const found: PlacedTrial[] = [];
  const notes = createNotes();
  for (const trial of trials) {
    const runId = runOf(trial);
    const state = runId === undefined ? null : (await hands.store.load(runId)).state;
    // After a stop machines are not asked any more.
    const one: PlacedTrial = isStopped(stops)
      ? { ...trial, state, allocations: null, notes: [] }
      : await placed(session, { ...trial, state });
    notes.add(trial.number, one.notes);
    found.push(one);
  }
  return { trials: found, notes: notes.lines() };
}

/** The strategy's next trials; null: none. */
async function proposed(session: StudySession, known: readonly EndedTrial[]): Promise<Proposal | null> {
  const { hands, spec, hosts } = session;
  const next = strategyOf(spec.strategy).propose(known);
  if (next.length === 0) return null;
  const { trials } = await planTrials(hands, next, { first: known.length + 1, isSpread: hosts !== null });
  return place(session, trials);
}

function outcomeOf({ stops }: StudySession, results: readonly EndedTrial[]): StudyOutcome {
  if (results.every(isComplete)) return 'done';
  if (stops.cancel.signal.aborted) return 'cancelled';
  return isStopped(stops) ? 'paused' : 'failed';
}

const recordPlaces = ({ record, spec }: StudySession, { trials }: Proposal): Promise<void> =>
  record({
    type: 'trials-placed',
    trials: trials.map(({ number, axes, leftOut, error, hosts, state }) => ({
      number,
      leftOut,
      error,
      runId: state?.runId ?? null,
      ...(sameValue(axes, spec.strategy.trials[number - 1]?.axes) ? {} : { axes: [...axes] }),
      ...(hosts === undefined ? {} : { hosts: [...hosts] }),
    })),
  });

/** Proposes, executes and records until the strategy ends or a stop. */
export async function drive(
  session: StudySession,
  first: Proposal,
  { detach }: { readonly detach: boolean },
): Promise<StudyEnd> {
  let results: readonly EndedTrial[] = [];
  let isCutShort = false;
  for (let next: Proposal | null = first; next !== null; next = await proposed(session, results)) {
    const { trials } = next;
    const asJobs = isOfJobs(trials);
    await recordPlaces(session, next);
    const due = trials.filter(isDue);
    const jobs = asJobs ? await workAsJobs(session, due, { detach }) : null;
    const ended = jobs === null ? await workInLanes(session, due) : jobs.ended;
    isCutShort ||= jobs?.isCutShort === true;
    if (ended === null) return { results: null, isCutShort };
    const all = [...results, ...ended, ...trials.filter((trial) => !isDue(trial)).map(notDue)];
    results = all.toSorted((one, other) => one.number - other.number);
    if (isStopped(session.stops)) break;
  }
  // Jobs may continue.
  const isLeft = results.some(({ state }) => state?.status === 'running');
  if (!isLeft) await session.record({ type: 'study-ended', outcome: outcomeOf(session, results) });
  return { results, isCutShort };
}
