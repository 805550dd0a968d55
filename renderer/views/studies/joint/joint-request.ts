import type { RunSummary } from '../../../../main/contract/api';
import { isDeployedRow } from '../../../../main/contract/run/run-outcome';
import type { JointRequest } from '../../../../main/contract/study/joint';

/** What is typed of a model. */
export interface ModelText {
  readonly runId: string;
  readonly title: string;
  /** Inferences per second, or its share of a mix. */
  readonly rate: number | string;
  /** Empty: that of the run. */
  readonly p99Ms: number | string;
}

/** `load`, `instances`: at rates. `mix`: the rates are shares, and their total is searched for. */
export type JointAim = 'load' | 'instances' | 'mix';

export interface JointText {
  readonly models: readonly ModelText[];
  readonly aim: JointAim;
  readonly minutes: number | string;
}

export const noJoint: JointText = { models: [], aim: 'load', minutes: 5 };

/** Its model was verified; the plan refuses what else cannot be searched. */
export const isSearchable = (run: RunSummary): boolean =>
  isDeployedRow(run) && run.status === 'done' && run.accuracyPassed === true;

export const leastModels = 2;
export const mostModels = 16;

export const newModel = (runId: string): ModelText => ({ runId, title: '', rate: '', p99Ms: '' });

/** The models of these runs, each as it was typed before. */
export const modelsOf = (before: readonly ModelText[], runIds: readonly string[]): readonly ModelText[] =>
  runIds.map((runId) => before.find((model) => model.runId === runId) ?? newModel(runId));

const isPositive = (value: number | string): value is number => typeof value === 'number' && value > 0;

/** null: two models with a rate are needed, and every model needs one. */
export function jointRequestOf({ models, aim, minutes }: JointText): JointRequest | null {
  if (models.length < leastModels) return null;
  const asked = models.flatMap(({ runId, title, rate, p99Ms }) =>
    isPositive(rate)
      ? [
          {
            of: { runId },
            ...(aim === 'mix' ? { share: rate } : { rate }),
            ...(isPositive(p99Ms) ? { p99Ms } : {}),
            ...(title.trim() === '' ? {} : { title: title.trim() }),
          },
        ]
      : [],
  );
  if (asked.length < models.length) return null;
  return {
    models: asked,
    objective: aim === 'instances' ? 'instances' : 'load',
    ...(isPositive(minutes) ? { budgetS: minutes * 60 } : {}),
  };
}
