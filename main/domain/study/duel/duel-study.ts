import { formatRate } from '../../../contract/numbers';
import { type DuelStrategy, duelStrategySchema } from '../../../contract/study/duel';
import type { SearchWinner, Study, StudyRow, StudySummary } from '../../../contract/study/study';
import { interruptedOf, stateOf } from '../search/search-study';
import { duelAnswer } from './duel-answer';
import { secondsOf } from './duel-rounds';

/** The comparison in turns of a study; null where it is none. Pure. */
export const duelOf = ({ spec }: Pick<Study, 'spec'>): DuelStrategy | null =>
  duelStrategySchema.safeParse(spec.strategy).data ?? null;

/** @param isHeld a live process works on it. Pure. */
export function duelSummary(study: Study, duel: DuelStrategy, isHeld: boolean): StudySummary {
  const { name, createdAt, updatedAt, error, searched } = study;
  const { sentence, rows } = duelAnswer(duel, searched);
  const [{ title: a }, { title: b }] = rows;
  const state = stateOf(study, isHeld);
  return {
    ...{ name, state, createdAt, updatedAt, error, isKept: true, interrupted: interruptedOf(study, isHeld) },
    sentence: searched.looks.length === 0 && study.outcome === null ? `${b} beside ${a}` : sentence,
    ...{ runs: 2, complete: state === 'done' ? 2 : 0 },
  };
}

/** Its sides as rows of a study. Pure. */
export function duelRows({ searched }: Study, duel: DuelStrategy): readonly StudyRow[] {
  return duelAnswer(duel, searched).rows.map((row, at): StudyRow => {
    const { inferencesPerSecond, p99Us, reason, side, title } = row;
    const text = `${title}: ${formatRate(inferencesPerSecond)} inferences/s`;
    return {
      ...{ number: at + 1, gpu: null, host: null, status: null, accuracy: null, offline: null, reason },
      ...{ runId: duel.sides[at]?.runId ?? null, state: `${side}: ${title}`, axes: [] },
      online: inferencesPerSecond === null ? null : { inferencesPerSecond, p99Us, steady: true, text },
    };
  });
}

/** Seconds of load that its budget has left, at most. Pure. */
export const duelSecondsLeft = ({ searched }: Study, { budgetS }: DuelStrategy): number =>
  Math.max(0, budgetS - secondsOf(searched));

/** The command that keeps a change of the configuration that is told to be better; null: none was tried, or is. Pure. */
export function duelWinner({ searched }: Pick<Study, 'searched'>, duel: DuelStrategy): SearchWinner | null {
  const { runId, configure = {} } = duel.sides[1];
  const [judged] = duelAnswer(duel, searched).judged;
  const isBetter = judged?.outcome === (judged?.metric === 'p99' ? 'lower' : 'higher');
  const fields = Object.entries(configure);
  if (!isBetter || fields.length === 0 || duel.criteria.length > 0) return null;
  const options = fields.flatMap(([field, value]) => [
    '--set',
    `configure.${field}=${JSON.stringify(value)}`,
  ]);
  return { runId, argv: ['triton-workbench', 'resume', runId, ...options] };
}
