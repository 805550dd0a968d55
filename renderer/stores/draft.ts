import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import type { WireError } from '../../main/contract/errors';
import { toWire } from '../../main/contract/errors';
import type { Preset } from '../../main/contract/preset';
import type { RunSpec } from '../../main/contract/run-spec';
import type { Choice, ConfigEdit, Draft, ImportedSpec, SpecPreview } from '../../main/contract/spec-tools';
import type { Client } from '../client';
import type { Keys, Tree } from './choice-tree';
import { getAt, sameValue, setAt, unsetAt } from './choice-tree';
import { withEdit, withTarget } from './draft-choice';
import { createDraftFiles } from './draft-files';
import { createLatest } from './latest';
import type { WizardPage } from './wizard-page';
import { isWizardPage } from './wizard-page';

const previewDelayMs = 150;
const editDelayMs = 250;

/** config.pbtxt while a person writes in it; the form follows as soon as the text can be read. */
interface ConfigText {
  readonly text: string;
  readonly problem: ConfigEdit['problem'];
  /** Not yet compared with the form. */
  readonly pending: boolean;
}

/** What replaced the choice, with the choice before it. */
type DraftNotice =
  | { readonly kind: 'started-over' }
  | { readonly kind: 'reused'; readonly what: string }
  | { readonly kind: 'other-model'; readonly what: string }
  | {
      readonly kind: 'imported';
      readonly fileName: string;
      readonly source: ImportedSpec['source'];
      readonly notes: readonly string[];
      readonly taken: boolean;
    };

export interface DraftState {
  readonly id: string;
  readonly preset: string;
  /** Preset of the own model that was chosen; null before the core has told it, and without one. */
  readonly ownPreset: Preset | null;
  /** Only what was changed, as a partial specification; the rest is the preset's. A list that cannot be read is text. */
  readonly overrides: Tree;
  readonly page: WizardPage;
  /** What was left on disk has been read. */
  readonly ready: boolean;
  readonly preview: SpecPreview | null;
  /** The last complete specification, for the values of fields while the choice is none. */
  readonly spec: RunSpec | null;
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
  readonly choosePreset: (preset: string) => void;
  /** The published GPU that the draft is for; `engine` stands where none was chosen, null is the published one. */
  readonly chooseTarget: (gpu: string, engine: Tree | null) => void;
  /** The engineer's own model in place of a preset; where it runs stays as it was. */
  readonly chooseModel: (choice: Choice, preset: Preset) => void;
  readonly startOver: () => void;
  /** Begins a draft of its own with this choice. */
  readonly reuse: (choice: Choice, what: string) => void;
  readonly takeBack: () => void;
  readonly dismiss: () => void;
  readonly importText: (fileName: string, text: string) => Promise<void>;
  readonly editConfig: (text: string) => void;
  /** The editor was left: a text that was understood gives way to the generated one. */
  readonly leaveConfig: () => void;
  readonly discardConfig: () => void;
  /** Everything asked anew and answered: what is shown is what would be run. */
  readonly settle: () => Promise<void>;
}

const newId = (): string => crypto.randomUUID();
const firstPreset = 'resnet50';
export const ownModelKeys = ['model', 'source'] as const;
const engineKindKeys = ['engine', 'kind'] as const;

/** These say a part of a deployment and are laid over the choice; the others are a whole one. */
const partial: ReadonlySet<ImportedSpec['source']> = new Set(['config-pbtxt', 'shell-environment']);

/** An own model that is a file, and no folder with code: its weights are in it, and its samples are a file. */
export const hasModelFile = (overrides: Tree): boolean => {
  const kind = getAt(overrides, [...ownModelKeys, 'kind']);
  return kind !== undefined && kind !== 'folder';
};

export const isOwnModel = (overrides: Tree): boolean => getAt(overrides, ownModelKeys) !== undefined;

/** The preset of a draft: of an own model its own, else one of the list; null while it is not known. */
export function draftPreset(
  draft: Pick<DraftState, 'preset' | 'ownPreset' | 'overrides'>,
  list: readonly Preset[],
): Preset | null {
  if (!isOwnModel(draft.overrides)) {
    return list.find(({ id }) => id === draft.preset) ?? null;
  }
  return draft.ownPreset;
}

/** The deployment that is being put together, kept on disk by the core on every change. */
export function createDraft(client: Client): StoreApi<DraftState> {
  return createStore<DraftState>()((set, get) => {
    let opening: Promise<void> | null = null;
    let before: Draft | null = null;

    const choice = (): Choice => ({ preset: get().preset, overrides: { ...get().overrides } });
    const current = (): Draft => ({
      id: get().id,
      choice: choice(),
      page: get().page,
      updatedAt: new Date().toISOString(),
    });
    const files = createDraftFiles(client, current, (saveError) => {
      set({ saveError });
    });

    const preview = createLatest(
      previewDelayMs,
      () =>
        client.call('spec.preview', choice()).then(
          (value) => ({ value, error: null }),
          (error: unknown) => ({ value: null, error: toWire(error) }),
        ),
      ({ value, error }) => {
        if (value === null) set({ error, stale: false });
        else {
          const ownPreset = value.ownPreset ?? get().ownPreset;
          set({ preview: value, spec: value.spec ?? get().spec, ownPreset, error: null, stale: false });
        }
      },
    );
    const setOverrides = (overrides: Tree): void => {
      set({ overrides, stale: true });
      preview.soon();
      files.saveSoon();
    };

    let left = false;
    const compare = createLatest(
      editDelayMs,
      async (): Promise<{ text: string; edit: ConfigEdit }> => {
        const text = get().edit?.text ?? '';
        const edit = await client.call('spec.editConfig', { ...choice(), text }).catch((error: unknown) => ({
          overrides: {},
          problem: { message: toWire(error).message, line: null },
        }));
        return { text, edit };
      },
      ({ text, edit }) => {
        if (get().edit?.text !== text) return;
        const understood = edit.problem === null;
        set({ edit: understood && left ? null : { text, problem: edit.problem, pending: false } });
        const overrides = understood ? withEdit(get().overrides, edit.overrides) : get().overrides;
        if (!sameValue(overrides, get().overrides)) setOverrides(overrides);
      },
    );

    /** Another choice in place of this one, which stays on disk and can be taken back. */
    const replace = (next: Choice, notice: DraftNotice, page: WizardPage): void => {
      before = current();
      void files.saveNow();
      set({
        id: newId(),
        preset: next.preset,
        page,
        notice,
        edit: null,
        older: [before, ...get().older.filter(({ id }) => id !== before?.id)],
      });
      setOverrides(next.overrides);
    };

    /** Where it runs has nothing to do with the model; everything else has, and can be taken back where there is something. */
    const otherModel = (next: Choice, what: string): void => {
      const { engine, ...rest } = get().overrides;
      const overrides = { ...next.overrides, ...(engine === undefined ? {} : { engine }) };
      if (Object.keys(rest).length > 0) {
        replace({ preset: next.preset, overrides }, { kind: 'other-model', what }, get().page);
        return;
      }
      set({ preset: next.preset, edit: null });
      setOverrides(overrides);
    };

    const show = (draft: Draft): void => {
      const { preset, overrides } = draft.choice;
      set({ id: draft.id, preset, overrides, page: isWizardPage(draft.page) ? draft.page : 'environment' });
    };

    const read = async (): Promise<void> => {
      try {
        const [newest, ...older] = await files.read();
        if (newest !== undefined) show(newest);
        set({ older, ready: true });
      } catch (error) {
        set({ saveError: toWire(error), ready: true });
      }
      await preview.now();
    };

    return {
      id: newId(),
      preset: firstPreset,
      ownPreset: null,
      overrides: {},
      page: 'environment',
      ready: false,
      preview: null,
      spec: null,
      stale: true,
      error: null,
      saveError: null,
      edit: null,
      notice: null,
      older: [],
      open: () => {
        opening ??= read();
        return opening;
      },
      goTo: (page) => {
        if (page === get().page) return;
        set({ page });
        files.saveSoon();
      },
      change: (keys, value) => {
        const { overrides, edit } = get();
        if (edit?.problem === null && !edit.pending) set({ edit: null });
        // Another kind of engine has other fields.
        if (keys.join('.') === 'engine.kind') {
          setOverrides({ ...overrides, engine: { kind: value } });
          return;
        }
        // A field of an engine is of the kind that it was changed in, whatever becomes the default.
        const kind =
          keys[0] === 'engine' ? (getAt(overrides, engineKindKeys) ?? get().spec?.engine.kind) : undefined;
        const placed = kind === undefined ? overrides : setAt(overrides, engineKindKeys, kind);
        setOverrides(setAt(placed, keys, value));
      },
      reset: (keys) => {
        const { overrides, edit } = get();
        if (edit?.problem === null && !edit.pending) set({ edit: null });
        setOverrides(unsetAt(overrides, keys.join('.') === 'engine.kind' ? ['engine'] : keys));
      },
      choosePreset: (preset) => {
        if (preset === get().preset && !isOwnModel(get().overrides)) return;
        otherModel({ preset, overrides: {} }, preset);
      },
      chooseTarget: (gpu, engine) => {
        setOverrides(withTarget(get().overrides, gpu, engine));
      },
      chooseModel: (choice, ownPreset) => {
        set({ ownPreset });
        otherModel(choice, choice.preset);
      },
      startOver: () => {
        const source = getAt(get().overrides, ownModelKeys);
        const overrides = source === undefined ? {} : { model: { source } };
        replace({ preset: get().preset, overrides }, { kind: 'started-over' }, 'environment');
      },
      reuse: (next, what) => {
        replace(next, { kind: 'reused', what }, 'model');
      },
      takeBack: () => {
        const old = before;
        if (old === null) return;
        before = null;
        void files.remove(get().id).catch(() => undefined);
        show(old);
        set({ notice: null, edit: null, older: get().older.filter(({ id }) => id !== old.id) });
        setOverrides(old.choice.overrides);
      },
      dismiss: () => {
        set({ notice: null });
      },
      importText: async (fileName, text) => {
        const { preset, overrides, page } = get();
        const imported = await client.call('spec.import', {
          text,
          fileName,
          preset,
          overrides: { ...overrides },
        });
        const { source, notes, choice: found } = imported;
        const notice = { kind: 'imported', fileName, source, notes, taken: found !== null } as const;
        if (found === null) {
          before = null;
          set({ notice });
          return;
        }
        const over = partial.has(source) && found.preset === preset;
        replace(
          over ? { preset, overrides: { ...withEdit(overrides, found.overrides) } } : found,
          notice,
          page,
        );
      },
      editConfig: (text) => {
        left = false;
        set({ edit: { text, problem: get().edit?.problem ?? null, pending: true } });
        compare.soon();
      },
      leaveConfig: () => {
        left = true;
        const { edit } = get();
        if (edit?.problem === null && !edit.pending) set({ edit: null });
      },
      discardConfig: () => {
        set({ edit: null });
      },
      settle: async () => {
        if (get().edit?.pending === true) await compare.now();
        await preview.now();
      },
    };
  });
}
