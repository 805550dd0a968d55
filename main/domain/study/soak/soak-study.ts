import { formatDuration } from '../../../contract/numbers';
import { type Soaked, type SoakStrategy, soakStrategySchema } from '../../../contract/study/soak';
import type { Study, StudyRow, StudySummary } from '../../../contract/study/study';
import { interruptedOf, stateOf } from '../search/search-study';
import { type SoakAnswer, soakAnswer, soakedMsOf } from './soak-answer';
import { capital } from './soak-text';

/** The soak of a study; null where it is none. Pure. */
export const soakOf = ({ spec }: Pick<Study, 'spec'>): SoakStrategy | null =>
  soakStrategySchema.safeParse(spec.strategy).data ?? null;

const nothing: Soaked = { blocks: [], slices: [] };

export const soakedOf = ({ soaked = nothing }: Pick<Study, 'soaked'>): Soaked => soaked;

/** Pure. */
export const answerOfSoak = (study: Pick<Study, 'soaked' | 'searched'>, soak: SoakStrategy): SoakAnswer =>
  soakAnswer(soak, soakedOf(study), study.searched.place ?? null);

/** @param isHeld a live process works on it. Pure. */
export function soakSummary(study: Study, soak: SoakStrategy, isHeld: boolean): StudySummary {
  const { name, createdAt, updatedAt, error } = study;
  const state = stateOf(study, isHeld);
  const { sentence, rows } = answerOfSoak(study, soak);
  return {
    ...{ name, state, createdAt, updatedAt, error, isKept: true, interrupted: interruptedOf(study, isHeld) },
    sentence: rows.length === 0 ? `${soak.title} for ${formatDuration(soak.forMs * 1000)}` : sentence,
    ...{ runs: 1, complete: state === 'done' ? 1 : 0 },
  };
}

/** Seconds of load that are left. Pure. */
export const soakSecondsLeft = (study: Pick<Study, 'soaked'>, { forMs }: SoakStrategy): number =>
  Math.max(0, (forMs - soakedMsOf(soakedOf(study))) / 1000);

/** "12 min 05 s of 8 h 00 min". Pure. */
export const soakProgress = (study: Pick<Study, 'soaked'>, { forMs }: SoakStrategy): string =>
  `${formatDuration(soakedMsOf(soakedOf(study)) * 1000)} of ${formatDuration(forMs * 1000)}`;

/** Its processes as rows of a study. Pure. */
export function soakStudyRows(study: Study, soak: SoakStrategy): readonly StudyRow[] {
  return answerOfSoak(study, soak).rows.map((row, at): StudyRow => ({
    ...{ number: at + 1, axes: [], gpu: null, host: null, runId: null, status: null, reason: null },
    ...{
      state: `${capital(row.title)}: ${row.growth.rss.verdict}`,
      accuracy: null,
      offline: null,
      online: null,
    },
  }));
}
