import { formatRate } from '../../../contract/numbers';
import type { Study, StudyRow, StudySummary } from '../../../contract/study/study';
import { type Upgraded, type UpgradeStrategy, upgradeStrategySchema } from '../../../contract/study/upgrade';
import { secondsOf } from '../duel/duel-rounds';
import { interruptedOf, stateOf } from '../search/search-study';
import { type UpgradeAnswer, upgradeAnswer } from './upgrade-answer';
import { nextLoad } from './upgrade-rounds';

/** The upgrade of a study; null where it is none. Pure. */
export const upgradeOf = ({ spec }: Pick<Study, 'spec'>): UpgradeStrategy | null =>
  upgradeStrategySchema.safeParse(spec.strategy).data ?? null;

const nothing: Upgraded = { served: {}, outputs: null, loads: [] };

export const upgradedOf = ({ upgraded = nothing }: Pick<Study, 'upgraded'>): Upgraded => upgraded;

type Measured = Pick<Study, 'upgraded' | 'searched'>;

/** Pure. */
export const answerOfUpgrade = (study: Measured, upgrade: UpgradeStrategy): UpgradeAnswer =>
  upgradeAnswer(upgrade, upgradedOf(study), study.searched);

/** @param isHeld a live process works on it. Pure. */
export function upgradeSummary(study: Study, upgrade: UpgradeStrategy, isHeld: boolean): StudySummary {
  const { name, createdAt, updatedAt, error } = study;
  const state = stateOf(study, isHeld);
  return {
    ...{ name, state, createdAt, updatedAt, error, isKept: true, interrupted: interruptedOf(study, isHeld) },
    sentence: answerOfUpgrade(study, upgrade).sentence,
    ...{ runs: 2, complete: state === 'done' ? 2 : 0 },
  };
}

/** Seconds of load that its budget has left, at most. Pure. */
export const upgradeSecondsLeft = (
  { searched }: Pick<Study, 'searched'>,
  { budgetS }: UpgradeStrategy,
): number => Math.max(0, budgetS - secondsOf(searched));

/** What it does now. Pure. */
export function upgradeProgress(study: Measured, upgrade: UpgradeStrategy): string {
  const { outputs, loads } = upgradedOf(study);
  if (outputs === null) return 'Outputs are compared';
  if (nextLoad(upgrade, { loads }) !== null) return `Load ${loads.length + 1} of ${2 * upgrade.loads}`;
  return `${Math.round(secondsOf(study.searched))} of ${Math.round(upgrade.budgetS)} s of load`;
}

/** Its sides as rows of a study. Pure. */
export function upgradeStudyRows(study: Measured, upgrade: UpgradeStrategy): readonly StudyRow[] {
  return answerOfUpgrade(study, upgrade).rows.map((row, at): StudyRow => {
    const { inferencesPerSecond, p99Us, reason, side, title } = row;
    const text = `${title}: ${formatRate(inferencesPerSecond)} inferences/s`;
    return {
      ...{ number: at + 1, gpu: null, host: null, status: null, accuracy: null, offline: null, reason },
      ...{ runId: null, state: `${side}: ${title}`, axes: [] },
      online: inferencesPerSecond === null ? null : { inferencesPerSecond, p99Us, steady: true, text },
    };
  });
}
