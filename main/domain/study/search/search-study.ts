import { formatRate } from '../../../contract/numbers';
import { type SearchStrategy, searchStrategySchema } from '../../../contract/study/search';
import type { SearchWinner, Study, StudyRow, StudyState, StudySummary } from '../../../contract/study/study';
import { candidateAxes, changedFields } from './candidates';
import { secondsOf } from './next-looks';
import { searchAnswer, type SearchRow } from './search-answer';

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

const levelOf = ({ inferencesPerSecond, latencyUs }: SearchRow): StudyRow['online'] =>
  inferencesPerSecond === null
    ? null
    : {
        ...{ inferencesPerSecond, p99Us: latencyUs, steady: true },
        text: `${formatRate(inferencesPerSecond)} inferences/s`,
      };

/** The candidates as rows of a study, the best first. Pure. */
export function searchRows({ searched }: Study, search: SearchStrategy): readonly StudyRow[] {
  const { candidates } = search;
  return searchAnswer(search, searched).rows.map((row): StudyRow => {
    const candidate = candidates[row.candidate - 1];
    return {
      ...{ number: row.candidate, gpu: null, host: null, runId: null, status: null, accuracy: null },
      axes: candidate === undefined ? [] : candidateAxes(candidates, candidate),
      ...{ state: row.state, reason: row.reason, offline: null, online: levelOf(row) },
    };
  });
}

/** Seconds of load that its budget has left. Pure. */
export const searchSecondsLeft = ({ searched }: Study, { budgetS }: SearchStrategy): number =>
  Math.max(0, budgetS - secondsOf(searched));

/** The command that runs the best configuration; null: it is the present one, or there is none. Pure. */
export function searchWinner(
  { searched }: Pick<Study, 'searched'>,
  search: SearchStrategy,
): SearchWinner | null {
  const { winner } = searchAnswer(search, searched);
  const [present, own] = [search.candidates[0], search.candidates[(winner?.candidate ?? 0) - 1]];
  if (present === undefined || own === undefined || present === own) return null;
  const options = changedFields(present, own).flatMap((field) => [
    '--set',
    `configure.${field}=${JSON.stringify(own[field])}`,
  ]);
  return { runId: search.runId, argv: ['triton-workbench', 'resume', search.runId, ...options] };
}
