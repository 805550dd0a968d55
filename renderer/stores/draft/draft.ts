import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire } from '../../../main/contract/errors';
import type { Preset } from '../../../main/contract/run/preset';
import { type Precision, precisions, runSpecSchema } from '../../../main/contract/run/run-spec';
import type { Choice, ConfigEdit, Draft, ImportedSpec } from '../../../main/contract/run/spec-tools';
import { getAt, type Keys, sameValue, setAt, type Tree, unsetAt } from '../../../main/contract/trees';
import type { Client } from '../../client';
import { createLatest } from '../latest';
import { createChangePlan, noPlan } from './change-plan';
import { createDraftFiles } from './draft-files';
import {
  type DraftNotice,
  type DraftState,
  hasTolerances,
  isTolerance,
  withEdit,
  withoutTolerances,
  withTarget,
} from './draft-state';
import { isWizardPage, type WizardPage } from './wizard-page';

export type { DraftState } from './draft-state';

const previewDelayMs = 150;
const editDelayMs = 250;

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
    /** Run that the draft became; a change makes it another draft again. */
    let startedAs: string | null = null;

    const choice = (): Choice => ({ preset: get().preset, overrides: { ...get().overrides } });
    const current = (): Draft => {
      const { id, changing, page, visited, tolerancesOf } = get();
      return {
        id,
        choice: choice(),
        page,
        visited: [...visited],
        ...(tolerancesOf === null ? {} : { tolerancesOf }),
        ...(changing === null ? {} : { changing }),
        ...(startedAs === null ? {} : { startedAs }),
        updatedAt: new Date().toISOString(),
      };
    };
    const files = createDraftFiles(client, current, (saveError) => {
      set({ saveError });
    });

    const plans = createChangePlan(client, get, set);
    const replan = async (): Promise<void> => {
      if (get().changing !== null) await plans.now();
    };
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
          void replan();
        }
      },
    );
    const setOverrides = (overrides: Tree): void => {
      set({ overrides, stale: true });
      preview.soon();
      files.saveSoon();
    };

    /** A change by hand: what a notice said of the choice before it holds no longer. Notes of an import are of its file. */
    const edited = (overrides: Tree): void => {
      const { notice } = get();
      startedAs = null;
      if (notice !== null && !(notice.kind === 'imported' && notice.notes.length > 0)) set({ notice: null });
      setOverrides(overrides);
    };

    const precisionOf = (overrides: Tree): unknown =>
      getAt(overrides, ['precision']) ?? get().preview?.defaultPrecision ?? get().spec?.precision;

    /** Chosen tolerances stay with another precision, and what they were chosen under is kept with them. */
    const tolerancesAfter = (keys: Keys, next: Tree): Precision | null => {
      const { tolerancesOf, overrides } = get();
      if (!hasTolerances(next) || isTolerance(keys)) return null;
      if (keys.join('.') !== 'precision') return tolerancesOf;
      const of = tolerancesOf ?? precisions.find((known) => known === precisionOf(overrides)) ?? null;
      return of === precisionOf(next) ? null : of;
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
        if (!sameValue(overrides, get().overrides)) edited(overrides);
      },
    );

    /** Another choice in place of this one, which stays on disk and can be taken back. */
    const replace = (
      next: Choice,
      notice: DraftNotice,
      page: WizardPage,
      changing: string | null = null,
    ): void => {
      before = current();
      void files.saveNow();
      startedAs = null;
      set({
        id: newId(),
        preset: next.preset,
        page,
        changing,
        ...noPlan,
        visited: [],
        tolerancesOf: null,
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
      set({ preset: next.preset, changing: null, ...noPlan, edit: null });
      edited(overrides);
    };

    const show = (draft: Draft): void => {
      const { id, choice, changing = null, page, visited = [], tolerancesOf = null } = draft;
      startedAs = draft.startedAs ?? null;
      set({
        id,
        ...choice,
        page: isWizardPage(page) ? page : 'environment',
        changing,
        ...noPlan,
        visited: visited.filter(isWizardPage),
        tolerancesOf,
      });
    };

    /** A change of a run is one before anything was changed: who looks for a new deployment must be able to leave it. */
    const isWorthKeeping = ({ choice, changing }: Draft): boolean =>
      changing !== undefined || Object.keys(choice.overrides).length > 0;

    const read = async (): Promise<void> => {
      try {
        const drafts = await files.read();
        const [newest, ...others] = drafts;
        const unfinished = newest !== undefined && newest.startedAs === undefined;
        if (unfinished && isWorthKeeping(newest)) {
          show(newest);
          set({ notice: { kind: 'unfinished', at: newest.updatedAt } });
        } else if (unfinished) set({ id: newest.id, preset: newest.choice.preset });
        set({ older: unfinished ? others : drafts, ready: true });
      } catch (error) {
        set({ saveError: toWire(error), ready: true });
      }
      await preview.now();
    };

    return {
      id: newId(),
      preset: firstPreset,
      changing: null,
      ownPreset: null,
      overrides: {},
      page: 'environment',
      visited: [],
      tolerancesOf: null,
      ready: false,
      preview: null,
      spec: null,
      ...noPlan,
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
      enter: async () => {
        opening ??= read();
        await opening;
        if (get().notice === null && isWorthKeeping(current()))
          set({ notice: { kind: 'unfinished', at: null } });
      },
      goTo: (page) => {
        const { page: from, visited } = get();
        if (page === from) return;
        set({ page, visited: [...new Set([...visited, from, page])] });
        files.saveSoon();
      },
      change: (keys, value) => {
        const { overrides, edit } = get();
        if (edit?.problem === null && !edit.pending) set({ edit: null });
        // Another kind of engine has other fields.
        if (keys.join('.') === 'engine.kind') {
          edited({ ...overrides, engine: { kind: value } });
          return;
        }
        // A field of an engine is of the kind that it was changed in, whatever becomes the default.
        const kind =
          keys[0] === 'engine' ? (getAt(overrides, engineKindKeys) ?? get().spec?.engine.kind) : undefined;
        const placed = kind === undefined ? overrides : setAt(overrides, engineKindKeys, kind);
        const next = setAt(placed, keys, value);
        set({ tolerancesOf: tolerancesAfter(keys, next) });
        edited(next);
      },
      reset: (keys) => {
        const { overrides, edit } = get();
        if (edit?.problem === null && !edit.pending) set({ edit: null });
        const next = unsetAt(overrides, keys.join('.') === 'engine.kind' ? ['engine'] : keys);
        set({ tolerancesOf: tolerancesAfter(keys, next) });
        edited(next);
      },
      choosePreset: (preset) => {
        if (preset === get().preset && !isOwnModel(get().overrides)) return;
        otherModel({ preset, overrides: {} }, preset);
      },
      chooseTarget: (gpu, engine) => {
        edited(withTarget(get().overrides, gpu, engine));
      },
      chooseModel: (choice, ownPreset) => {
        set({ ownPreset });
        otherModel(choice, choice.preset);
      },
      startOver: () => {
        const isOwn = isOwnModel(get().overrides);
        const preset = isOwn ? firstPreset : get().preset;
        const changing = isOwn ? null : get().changing;
        replace({ preset, overrides: {} }, { kind: 'started-over' }, 'environment', changing);
      },
      startNew: () => {
        replace({ preset: firstPreset, overrides: {} }, { kind: 'started-new' }, 'environment');
      },
      started: (runId) => {
        startedAs = runId;
        const done = current();
        void files.saveNow();
        startedAs = null;
        before = null;
        const older = [done, ...get().older.filter(({ id }) => id !== done.id)];
        const blank = {
          preset: firstPreset,
          changing: null,
          ...noPlan,
          overrides: {},
          page: 'environment',
          visited: [],
        } as const;
        set({ id: newId(), ...blank, tolerancesOf: null, notice: null, edit: null, older, stale: true });
        preview.soon();
      },
      useDefaultTolerances: () => {
        set({ tolerancesOf: null });
        edited(withoutTolerances(get().overrides));
      },
      reuse: (next, what) => {
        replace(next, { kind: 'reused', what }, 'model');
      },
      changeRun: (next, runId) => {
        replace(next, { kind: 'changing', runId }, 'performance', runId);
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
        const { source, notes } = imported;
        const spec = runSpecSchema.safeParse(imported.choice?.overrides);
        // Of a complete specification only what the preset does not say by itself, as of a run.
        const found = spec.success ? await client.call('spec.choice', { spec: spec.data }) : imported.choice;
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
          over ? get().changing : null,
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
        await replan();
      },
    };
  });
}
