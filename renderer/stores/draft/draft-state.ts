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

/** config.pbtxt while a person writes in it; the form follows as soon as the text can be read. */
interface ConfigText {
  readonly text: string;
  readonly problem: ConfigEdit['problem'];
  /** Not yet compared with the form. */
  readonly pending: boolean;
}

/** What replaced the choice, with the choice before it. */
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
      /** Of a file with several configurations: which they are, and the text to take another one from. */
      readonly others?: NonNullable<ImportedSpec['configurations']> & {
        readonly text: string;
        readonly asNew: boolean;
      };
    };

export interface HowToImport {
  /** Number of the configuration that is taken of a file with several, from 1 on. */
  readonly configuration?: number | undefined;
  /** Into a draft of its own, as of `startNew`; else in place of the present choice, or laid over it. */
  readonly asNew?: boolean;
}

export interface DraftState {
  readonly id: string;
  readonly preset: string;
  /** Run that is changed and continued by this choice; null: it becomes a run of its own. */
  readonly changing: string | null;
  /** Preset of the own model that was chosen; null before the core has told it, and without one. */
  readonly ownPreset: Preset | null;
  /** Only what was changed, as a partial specification; the rest is the preset's. A list that cannot be read is text. */
  readonly overrides: Tree;
  readonly page: WizardPage;
  readonly visited: readonly WizardPage[];
  /** Precision that the chosen tolerances were chosen under; null: the chosen precision, or none is chosen. */
  readonly tolerancesOf: Precision | null;
  /** Budget that the run has from its start, in milliseconds; null: none. */
  readonly p99BudgetMs: number | null;
  /** Name that the run has from its start, as it is typed; '': none. */
  readonly name: string;
  /** When it was last changed or read from disk; null: nothing was chosen yet. */
  readonly editedAt: string | null;
  /** What was left on disk has been read. */
  readonly ready: boolean;
  readonly preview: SpecPreview | null;
  /** The last complete specification, for the values of fields while the choice is none. */
  readonly spec: RunSpec | null;
  /** What the choice does again and keeps of the run that it changes; null before that is known, and without such a run. */
  readonly plan: ChangePlan | null;
  readonly planError: WireError | null;
  /** The preview does not tell of the newest change yet. */
  readonly stale: boolean;
  /** The core did not answer. */
  readonly error: WireError | null;
  readonly saveError: WireError | null;
  readonly edit: ConfigText | null;
  readonly notice: DraftNotice | null;
  /** Other drafts on disk, newest first. */
  readonly older: readonly Draft[];
  readonly open: () => Promise<void>;
  readonly goTo: (page: WizardPage) => void;
  readonly change: (keys: Keys, value: unknown) => void;
  readonly reset: (keys: Keys) => void;
  /** @param title what the notice calls it */
  readonly choosePreset: (preset: string, title?: string) => void;
  /** The published GPU that the draft is for; `engine` stands where none was chosen, null is the published one. */
  readonly chooseTarget: (gpu: string, engine: Tree | null) => void;
  /**
   * The engineer's own model in place of a preset; where it runs stays as it was.
   * @param asNew in a draft of its own, as of `startNew`
   */
  readonly chooseModel: (choice: Choice, preset: Preset, asNew?: boolean) => void;
  /** The defaults of the model, which stays: the preset or the own model. */
  readonly startOver: () => void;
  /** Lays the draft aside, where it has something in it, and begins another with this preset. */
  readonly startNew: (preset: string) => void;
  /** The draft became a run; the next deployment begins anew. */
  readonly started: (runId: string) => void;
  readonly setBudget: (p99BudgetMs: number | null) => void;
  readonly setName: (name: string) => void;
  readonly useDefaultTolerances: () => void;
  /** Another draft from disk, as it was left; the present one stays on disk where it has something in it. */
  readonly openDraft: (draft: Draft) => void;
  /** Begins a draft of its own with this choice. */
  readonly reuse: (choice: Choice, what: string, p99BudgetMs?: number | null) => void;
  /** The same with the choice of a run that is to be changed. */
  readonly changeRun: (choice: Choice, runId: string, page: WizardPage, p99BudgetMs?: number | null) => void;
  readonly takeBack: () => void;
  readonly dismiss: () => void;
  readonly importText: (fileName: string, text: string, how?: HowToImport) => Promise<void>;
  readonly editConfig: (text: string) => void;
  /** The editor was left: a text that was understood gives way to the generated one. */
  readonly leaveConfig: () => void;
  readonly discardConfig: () => void;
  /** Everything asked anew and answered: what is shown is what would be run. */
  readonly settle: () => Promise<void>;
}

/** How a slice of the draft reads and changes it. */
export interface DraftAccess {
  readonly client: Client;
  readonly get: () => DraftState;
  readonly set: (part: Partial<DraftState>) => void;
}

export const noPlan: Pick<DraftState, 'plan' | 'planError'> = { plan: null, planError: null };

export const firstPreset = 'resnet50';
export const ownModelKeys = ['model', 'source'] as const;
/** What of config.pbtxt was edited by hand. */
export const patchKeys = ['configure', 'configPatch'] as const;

/** An own model that is a file, and no folder with code: its weights are in it, and its samples are a file. */
export const hasModelFile = (overrides: Tree): boolean => {
  const kind = getAt(overrides, [...ownModelKeys, 'kind']);
  return kind !== undefined && kind !== 'folder';
};

export const isOwnModel = (overrides: Tree): boolean => getAt(overrides, ownModelKeys) !== undefined;

/** Which model is the engineer's own, and nothing else of the choice; empty of a preset. */
export const ownModelOf = (overrides: Tree): Tree => {
  const source = getAt(overrides, ownModelKeys);
  return source === undefined ? {} : { model: { source } };
};

/** The preset of a draft: of an own model its own, else one of the list; null while it is not known. */
export function draftPreset(
  draft: Pick<DraftState, 'preset' | 'ownPreset' | 'overrides'>,
  list: readonly Preset[],
): Preset | null {
  if (isOwnModel(draft.overrides)) return draft.ownPreset;
  return list.find(({ id }) => id === draft.preset) ?? null;
}

type DraftContent = Pick<DraftState, 'overrides' | 'changing' | 'name' | 'p99BudgetMs' | 'edit'>;

/** Text of config.pbtxt that the form does not follow yet; null: none. */
export const openText = ({ edit }: Pick<DraftState, 'edit'>): string | null =>
  edit !== null && (edit.pending || edit.problem !== null) ? edit.text : null;

/** What is in a draft on disk. */
export function contentOf(draft: Draft): Choice & DraftContent {
  const { choice, changing = null, name = '', p99BudgetMs = null, configText: text } = draft;
  const edit = text === undefined ? null : { text, problem: null, pending: true };
  return { ...choice, changing, name, p99BudgetMs, edit };
}

/** What the settings say of a new draft. */
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

/** Fields laid over the choice; what was edited by hand before gives way to what is edited by hand now. */
export function withEdit(overrides: Tree, edit: Tree): Tree {
  const patch = getAt(edit, patchKeys);
  const merged = mergeTrees(overrides, edit);
  return isTree(patch) && Object.keys(patch).length === 0 ? unsetAt(merged, patchKeys) : merged;
}
