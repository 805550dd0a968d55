import type { RunSpec } from '../../../contract/run/run-spec';
import type { DeployedRun } from '../../../contract/run/run-state';
import type { Choice } from '../../../contract/run/spec-tools';
import { type Candidate, modelFields, type SearchedFormat } from '../../../contract/study/search';
import type { StudyTrial } from '../../../contract/study/study';
import { sameValue } from '../../../contract/trees';
import { fieldPath } from './candidates';
import { modelOf, modelsOf, modelText } from './search-models';

/** What a search makes before it compares anything. */
export interface UnmadeRun extends Pick<DeployedRun, 'p99BudgetMs'> {
  readonly runId: null;
  readonly source: Pick<DeployedRun['source'], 'spec'>;
}

/** The models that a search compares beside that of the run. */
export interface PlannedModels {
  /** What makes that of the run, where there is no run yet. */
  readonly base: Choice | null;
  /** Those to try; that of the run among them where it is to be varied, too. */
  readonly tried: readonly { readonly model: SearchedFormat; readonly choice: Choice }[];
  /** What was chosen or left out and why, a sentence each. */
  readonly notes: readonly string[];
}

export const noModels: PlannedModels = { base: null, tried: [], notes: [] };

const trialOf = (choice: Choice, axes: StudyTrial['axes'] = []): StudyTrial => ({
  choice,
  axes,
  refusal: null,
});

/** One that makes each model that is not there: that of the run first. Pure. */
export function trialsOf(
  candidates: readonly Candidate[],
  { base, tried }: PlannedModels,
): readonly StudyTrial[] {
  const others = modelsOf({ candidates }).slice(1);
  const made = others.flatMap((one) => tried.find(({ model }) => sameValue(model, one)) ?? []);
  return [
    ...(base === null ? [] : [trialOf(base)]),
    ...made.map(({ model, choice }) =>
      trialOf(
        choice,
        modelFields.map((field) => ({ field: fieldPath(field), value: model[field] })),
      ),
    ),
  ];
}

/** What is exported, converted and checked before anything is compared. Pure. */
export function preparing(
  spec: RunSpec,
  candidates: readonly Candidate[],
  { base }: PlannedModels,
): readonly string[] {
  const others = modelsOf({ candidates }).slice(1) as readonly SearchedFormat[];
  const made = [...(base === null ? [] : [modelOf(spec)]), ...others].map(modelText);
  return made.length === 0
    ? []
    : [`Prepared first, each up to its accuracy check and not counted as load: ${made.join('; ')}.`];
}
