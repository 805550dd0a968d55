import type { WireError } from '../../../main/contract/errors';
import type { Preset } from '../../../main/contract/run/preset';
import type { Precision, RunSpec } from '../../../main/contract/run/run-spec';
import type {
  ChangePlan,
  Choice,
  ConfigEdit,
  Draft,
  ImportedSpec,
  SpecPreview,
} from '../../../main/contract/run/spec-tools';
import { getAt, isTree, type Keys, mergeTrees, type Tree, unsetAt } from '../../../main/contract/trees';
import type { Client } from '../../client';
import type { WizardPage } from './wizard-page';

interface ConfigText {
  readonly text: string;
  readonly problem: ConfigEdit['problem'];
  /** Not yet compared with the form. */
  readonly pending: boolean;
}

export type DraftNotice =
  | { readonly kind: 'started-over' }
  | { readonly kind: 'started-new' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'reused'; readonly what: string }
  | { readonly kind: 'changing'; readonly runId: string }
  | { readonly kind: 'other-model'; readonly what: string }
  | {
      readonly kind: 'imported';
      readonly fileName: string;
      readonly source: ImportedSpec['source'];
      readonly notes: readonly string[];
      readonly taken: boolean;
      readonly others?: NonNullable<ImportedSpec['configurations']> & {
        readonly text: string;
        readonly asNew: boolean;
      };
    };

/** The draft before is then another one, not an earlier state of this one. */
export const isBesideAnother = (notice: DraftNotice | null): boolean =>
  notice !== null && ['started-new', 'opened', 'changing'].includes(notice.kind);

export interface HowToImport {
  /** 1-based, of a file with several configurations. */
  readonly configuration?: number | undefined;
  /** Into a new draft, as `startNew`; else in place of the present choice, or laid over it. */
  readonly asNew?: boolean;
}

export interface DraftState {
  readonly id: string;
  readonly preset: string;
  /** Run that this choice changes and continues; null: it becomes a run of its own. */
  readonly changing: string | null;
  /** Preset of the own model; null without one, and until the core has answered. */
  readonly ownPreset: Preset | null;
  /** Only what was changed, as a partial specification. A list that cannot be parsed is text. */
  readonly overrides: Tree;
  readonly page: WizardPage;
  readonly visited: readonly WizardPage[];
  /** Precision under which the tolerances were chosen; null: the present one, or none are chosen. */
  readonly tolerancesOf: Precision | null;
  /** Milliseconds; null: none. */
  readonly p99BudgetMs: number | null;
  /** As typed; '': none. */
  readonly name: string;
  readonly editedAt: string | null;
  readonly ready: boolean;
  readonly preview: SpecPreview | null;
  /** The last complete specification: values of fields while the choice is invalid. */
  readonly spec: RunSpec | null;
  /** What the choice repeats and keeps of the run that it changes; null without one, and until it is known. */
  readonly plan: ChangePlan | null;
  readonly planError: WireError | null;
  readonly stale: boolean;
  readonly error: WireError | null;
  readonly saveError: WireError | null;
  readonly edit: ConfigText | null;
  readonly notice: DraftNotice | null;
  readonly older: readonly Draft[];
  readonly open: () => Promise<void>;
  readonly goTo: (page: WizardPage) => void;
  readonly change: (keys: Keys, value: unknown) => void;
  readonly reset: (keys: Keys) => void;
  readonly choosePreset: (preset: string, title?: string) => void;
  /** @param engine used where none is chosen; null: the published one */
  readonly chooseTarget: (gpu: string, engine: Tree | null) => void;
  /**
   * Replaces the preset; where it runs stays.
   * @param asNew in a new draft, as `startNew`
   */
  readonly chooseModel: (choice: Choice, preset: Preset, asNew?: boolean) => void;
  readonly startOver: () => void;
  /** Begins a draft with this preset; the present one stays on disk where it has content. */
  readonly startNew: (preset: string) => void;
  readonly started: (runId: string) => void;
  readonly setBudget: (p99BudgetMs: number | null) => void;
  readonly setName: (name: string) => void;
  readonly useDefaultTolerances: () => void;
  /** The present draft stays on disk where it has content. */
  readonly openDraft: (draft: Draft) => void;
  readonly reuse: (choice: Choice, what: string, p99BudgetMs?: number | null) => void;
  readonly changeRun: (choice: Choice, runId: string, page: WizardPage, p99BudgetMs?: number | null) => void;
  readonly takeBack: () => void;
  readonly dismiss: () => void;
  readonly importText: (fileName: string, text: string, how?: HowToImport) => Promise<void>;
  readonly editConfig: (text: string) => void;
  readonly leaveConfig: () => void;
  readonly discardConfig: () => void;
  /** Resolves once every pending answer has come: what is shown is what would run. */
  readonly settle: () => Promise<void>;
}

export interface DraftAccess {
  readonly client: Client;
  readonly get: () => DraftState;
  readonly set: (part: Partial<DraftState>) => void;
}

export const noPlan: Pick<DraftState, 'plan' | 'planError'> = { plan: null, planError: null };

export const firstPreset = 'resnet50';
export const ownModelKeys = ['model', 'source'] as const;
export const patchKeys = ['configure', 'configPatch'] as const;

/** A model file has its weights, and its samples are a file. */
export const hasModelFile = (overrides: Tree): boolean => {
  const kind = getAt(overrides, [...ownModelKeys, 'kind']);
  return kind !== undefined && kind !== 'folder';
};

export const isOwnModel = (overrides: Tree): boolean => getAt(overrides, ownModelKeys) !== undefined;

/** Empty for a preset. */
export const ownModelOf = (overrides: Tree): Tree => {
  const source = getAt(overrides, ownModelKeys);
  return source === undefined ? {} : { model: { source } };
};

export function draftPreset(
  draft: Pick<DraftState, 'preset' | 'ownPreset' | 'overrides'>,
  list: readonly Preset[],
): Preset | null {
  if (isOwnModel(draft.overrides)) return draft.ownPreset;
  return list.find(({ id }) => id === draft.preset) ?? null;
}

type DraftContent = Pick<DraftState, 'overrides' | 'changing' | 'name' | 'p99BudgetMs' | 'edit'>;

/** config.pbtxt text that the form does not follow yet; null: none. */
export const openText = ({ edit }: Pick<DraftState, 'edit'>): string | null =>
  edit !== null && (edit.pending || edit.problem !== null) ? edit.text : null;

export function contentOf(draft: Draft): Choice & DraftContent {
  const { choice, changing = null, name = '', p99BudgetMs = null, configText: text } = draft;
  const edit = text === undefined ? null : { text, problem: null, pending: true };
  return { ...choice, changing, name, p99BudgetMs, edit };
}

export type NewDraft = Pick<DraftState, 'overrides' | 'p99BudgetMs'>;

/**
 * Whether a draft has anything to continue beside what the settings say of a new one. A change of a run has before
 * anything was changed: who looks for a new deployment must be able to leave it.
 */
export const isWorthKeeping = (
  { overrides, changing, name, p99BudgetMs, edit }: DraftContent,
  fresh: NewDraft,
): boolean =>
  changing !== null ||
  (Object.keys(overrides).length > 0 && JSON.stringify(overrides) !== JSON.stringify(fresh.overrides)) ||
  name.trim() !== '' ||
  openText({ edit }) !== null ||
  (p99BudgetMs !== null && p99BudgetMs !== fresh.p99BudgetMs);

export const choiceOf = ({ preset, overrides }: DraftState): Choice => ({
  preset,
  overrides: { ...overrides },
});

/** With what was typed a moment ago. */
export async function settledChoice({ getState }: { readonly getState: () => DraftState }): Promise<Choice> {
  await getState().settle();
  return choiceOf(getState());
}

/** A new hand edit replaces the one before. */
export function withEdit(overrides: Tree, edit: Tree): Tree {
  const patch = getAt(edit, patchKeys);
  const merged = mergeTrees(overrides, edit);
  return isTree(patch) && Object.keys(patch).length === 0 ? unsetAt(merged, patchKeys) : merged;
}
