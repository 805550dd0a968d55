import { formatRate } from '../../../contract/numbers';
import { type JointStrategy, jointStrategySchema } from '../../../contract/study/joint';
import type { Study, StudyRow, StudySummary } from '../../../contract/study/study';
import { secondsOf } from '../search/next-looks';
import { changesBetween, interruptedOf, setOptions, stateOf } from '../search/search-study';
import { jointAnswer, type JointRow } from './joint-answer';
import { candidateIn, viewOf, winnerOf } from './joint-sets';

/** The search of several models of a study, with the runs that it made; null where it is none. Pure. */
export function jointOf({
  spec,
  trials,
}: Pick<Study, 'spec'> & Partial<Pick<Study, 'trials'>>): JointStrategy | null {
  const joint = jointStrategySchema.safeParse(spec.strategy).data;
  if (joint === undefined) return null;
  return {
    ...joint,
    models: joint.models.map((model, at) => ({
      ...model,
      runId: model.runId ?? trials?.[trialOfModel(joint, at)]?.runId ?? null,
    })),
  };
}

/** The trial that makes the run of a model, from 1: there is one for each model without a run. */
export const trialOfModel = ({ models }: Pick<JointStrategy, 'models'>, at: number): number =>
  models.slice(0, at + 1).filter(({ runId }) => runId === null).length;

/** @param isHeld a live process works on it. Pure. */
export function jointSummary(study: Study, joint: JointStrategy, isHeld: boolean): StudySummary {
  const { name, createdAt, updatedAt, error, searched } = study;
  const { sentence } = jointAnswer(joint, searched);
  const state = stateOf(study, isHeld);
  const { length: runs } = joint.models;
  return {
    ...{ name, state, createdAt, updatedAt, error, isKept: true, interrupted: interruptedOf(study, isHeld) },
    ...{ sentence, runs, complete: state === 'done' ? runs : 0 },
  };
}

const stateText = ({ model, configuration, isLimiting }: JointRow): string =>
  `${model}: ${configuration}${isLimiting ? ', limits' : ''}`;

/** Its models as rows of a study. Pure. */
export function jointRows({ searched }: Study, joint: JointStrategy): readonly StudyRow[] {
  return jointAnswer(joint, searched).rows.map((row, at): StudyRow => {
    const { inferencesPerSecond, latencyUs, percentile } = row;
    const text = `${row.model}: ${formatRate(inferencesPerSecond)} inferences/s`;
    return {
      ...{ number: at + 1, gpu: null, host: null, status: null, accuracy: null, offline: null, reason: null },
      ...{ runId: joint.models[at]?.runId ?? null, state: stateText(row), axes: [] },
      online:
        inferencesPerSecond === null
          ? null
          : {
              ...{ inferencesPerSecond, steady: true, text },
              p99Us: percentile === 99 ? latencyUs : null,
            },
    };
  });
}

/** "31 of 300 s of load, 12 of 20 configurations measured". Pure. */
export function jointProgress(joint: JointStrategy, { searched }: Study): string {
  const { rows } = jointAnswer(joint, searched);
  const sum = (of: (row: JointRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const spent = `${Math.round(secondsOf(searched))} of ${Math.round(joint.budgetS)} s of load`;
  return `${spent}, ${sum(({ measured }) => measured)} of ${sum(({ configurations }) => configurations)} configurations measured`;
}

/** Seconds of load that its budget has left, at most. Pure. */
export const jointSecondsLeft = ({ searched }: Study, { budgetS }: JointStrategy): number =>
  Math.max(0, budgetS - secondsOf(searched));

/** The commands that run the best set, one for each model that it changes. Pure. */
export function jointCommands(
  { searched }: Pick<Study, 'searched'>,
  joint: JointStrategy,
): readonly (readonly string[])[] {
  const winner = winnerOf(joint, viewOf(joint, searched));
  return (winner?.picks ?? []).flatMap((pick) => {
    const { model, present, own } = candidateIn(joint, pick);
    const options = setOptions(changesBetween(present, own));
    return options.length === 0 || model.runId === null
      ? []
      : [['triton-workbench', 'resume', model.runId, ...options]];
  });
}
