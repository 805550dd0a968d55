import { type SearchStrategy, searchStrategySchema } from '../../../contract/study/search';
import type { SearchWinner, Study, StudyState, StudySummary } from '../../../contract/study/study';
import { changedFields, fieldPath } from './candidates';
import { secondsOf } from './next-looks';
import { searchAnswer } from './search-answer';

/** The search of a study; null where it is none. Pure. */
export const searchOf = ({ spec }: Pick<Study, 'spec'>): SearchStrategy | null =>
  searchStrategySchema.safeParse(spec.strategy).data ?? null;

/** Of a study that measures by itself. @param isHeld a live process works on it */
export function stateOf({ outcome, isStarted }: Study, isHeld: boolean): StudyState {
  if (isHeld) return 'running';
  return outcome ?? (isStarted ? 'paused' : 'planned');
}

/** Its process died. */
export const interruptedOf = ({ outcome, isStarted }: Study, isHeld: boolean): boolean =>
  !isHeld && isStarted && outcome === null;

/** @param isHeld a live process works on it. Pure. */
export function searchSummary(study: Study, search: SearchStrategy, isHeld: boolean): StudySummary {
  const { name, createdAt, updatedAt, outcome, error, searched } = study;
  const { rows, sentence } = searchAnswer(search, searched);
  return {
    ...{ name, state: stateOf(study, isHeld), createdAt, updatedAt, error, isKept: true },
    interrupted: interruptedOf(study, isHeld),
    sentence:
      outcome === null && searched.looks.length === 0 ? `${rows.length} configurations to compare` : sentence,
    runs: rows.length,
    complete: rows.filter(({ state }) => state !== 'not measured').length,
  };
}

/** Seconds of load that its budget has left. Pure. */
export const searchSecondsLeft = ({ searched }: Study, { budgetS }: SearchStrategy): number =>
  Math.max(0, budgetS - secondsOf(searched));

/** The fields that the best configuration changes, by path; none: it is the present one, or there is none. Pure. */
export function winnerChanges(
  { searched }: Pick<Study, 'searched'>,
  search: SearchStrategy,
): readonly (readonly [path: string, value: unknown])[] {
  const { winner } = searchAnswer(search, searched);
  const [present, own] = [search.candidates[0], search.candidates[(winner?.candidate ?? 0) - 1]];
  if (present === undefined || own === undefined || present === own) return [];
  return changedFields(present, own).map((field) => [fieldPath(field), own[field]]);
}

/** The command that runs the best configuration; null: it is the present one, or there is none. Pure. */
export function searchWinner(study: Pick<Study, 'searched'>, search: SearchStrategy): SearchWinner | null {
  const changes = winnerChanges(study, search);
  if (changes.length === 0) return null;
  const options = changes.flatMap(([path, value]) => ['--set', `${path}=${JSON.stringify(value)}`]);
  return { runId: search.runId, argv: ['triton-workbench', 'resume', search.runId, ...options] };
}
