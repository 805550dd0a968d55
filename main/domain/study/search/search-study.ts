import {
  type Candidate,
  modelFields,
  type SearchStrategy,
  searchStrategySchema,
} from '../../../contract/study/search';
import type { SearchWinner, Study, StudyState, StudySummary } from '../../../contract/study/study';
import { changedFields, fieldPath } from './candidates';
import { secondsOf } from './next-looks';
import { searchAnswer } from './search-answer';
import { modelNumberOf, modelsOf } from './search-models';
import { searchSentenceSoFar } from './search-sentence';

/** The search of a study, with the run that it made where it began without one; null where it is none. Pure. */
export function searchOf({ spec, trials }: Pick<Study, 'spec'> & Partial<Pick<Study, 'trials'>>) {
  const search: SearchStrategy | null = searchStrategySchema.safeParse(spec.strategy).data ?? null;
  return search === null || search.runId !== null
    ? search
    : { ...search, runId: trials?.[baseTrial]?.runId ?? null };
}

/** The run whose model a candidate is a configuration of; null: none yet, or it could not be made. Pure. */
export function runOfCandidate(
  { spec, trials }: Pick<Study, 'spec' | 'trials'>,
  search: SearchStrategy,
  candidate: number,
): string | null {
  const model = modelNumberOf(search, candidate);
  const first = spec.strategy.trials.length - (modelsOf(search).length - 1);
  return model === 0 ? search.runId : (trials[first + model]?.runId ?? null);
}

/** The trial that makes the run of a search that began without one. */
const baseTrial = 1;

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
  const answer = searchAnswer(search, searched);
  const { rows } = answer;
  const sentence = isHeld ? searchSentenceSoFar(search, answer) : answer.sentence;
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

type Change = readonly [path: string, value: unknown];

/** Another format may have another default of each; only TensorRT captures CUDA graphs. */
function modelChanges(present: Candidate, own: Candidate): readonly Change[] {
  if (modelFields.every((field) => own[field] === present[field])) return [];
  const isOfTensorRt = ({ format, backendAccelerator }: Candidate) =>
    format === 'trt' || backendAccelerator === 'trt';
  return [
    ...modelFields.map((field) => [fieldPath(field), own[field]] as const),
    ...(isOfTensorRt(present) && !isOfTensorRt(own) ? [['configure.captureCudaGraph', false] as const] : []),
  ];
}

/** The fields that the best configuration changes, by path; none: it is the present one, or there is none. Pure. */
export function winnerChanges(
  { searched }: Pick<Study, 'searched'>,
  search: SearchStrategy,
): readonly Change[] {
  const { winner } = searchAnswer(search, searched);
  const [present, own] = [search.candidates[0], search.candidates[(winner?.candidate ?? 0) - 1]];
  return present === undefined || own === undefined ? [] : changesBetween(present, own);
}

/** The fields in which a configuration differs from the present one, by path. Pure. */
export function changesBetween(present: Candidate, own: Candidate): readonly Change[] {
  const others = changedFields(present, own).filter((field) => !modelFields.some((one) => one === field));
  return [...modelChanges(present, own), ...others.map((field) => [fieldPath(field), own[field]] as const)];
}

/** "--set configure.instances=2" for each. Pure. */
export const setOptions = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap(([path, value]) => [
    '--set',
    `${path}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);

/** The command that runs the best configuration; null: it is the present one, or there is none. Pure. */
export function searchWinner(study: Pick<Study, 'searched'>, search: SearchStrategy): SearchWinner | null {
  const changes = winnerChanges(study, search);
  // The fields of a run are those of its model.
  if (changes.length === 0 || search.runId === null || search.part !== undefined) return null;
  return { runId: search.runId, argv: ['triton-workbench', 'resume', search.runId, ...setOptions(changes)] };
}
