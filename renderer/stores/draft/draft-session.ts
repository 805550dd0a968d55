import { toWire, type WireError } from '../../../main/contract/errors';
import type { Choice, Draft } from '../../../main/contract/run/spec-tools';
import { type Settings, withDefaultEngine } from '../../../main/contract/settings/settings';
import { present, type Tree } from '../../../main/contract/trees';
import type { Client } from '../../client';
import { createLatest, type Latest } from '../latest';
import {
  choiceOf,
  contentOf,
  type DraftAccess,
  type DraftNotice,
  type DraftState,
  firstPreset,
  isBesideAnother,
  isWorthKeeping,
  type NewDraft,
  noPlan,
  openText,
} from './draft-state';
import { isWizardPage, type WizardPage } from './wizard-page';

export const newDraftOf = (settings: Settings): NewDraft => ({
  overrides: withDefaultEngine({}, settings),
  p99BudgetMs: settings['deployment.p99BudgetMs'],
});

export const blankDraft = () =>
  ({
    id: crypto.randomUUID(),
    preset: firstPreset,
    changing: null,
    ...noPlan,
    overrides: {},
    page: 'environment',
    visited: [],
    tolerancesOf: null,
    p99BudgetMs: null,
    name: '',
    editedAt: null,
    notice: null,
    edit: null,
    stale: true,
  }) as const;

function savedDraft(state: DraftState, startedAs: string | null): Draft {
  const { id, changing, page, visited, tolerancesOf, p99BudgetMs, name } = state;
  return {
    id,
    choice: choiceOf(state),
    page,
    visited: [...visited],
    ...present({ tolerancesOf, p99BudgetMs, configText: openText(state), changing, startedAs }),
    ...(name === '' ? {} : { name }),
    updatedAt: new Date().toISOString(),
  };
}

function openedDraft(draft: Draft): Partial<DraftState> {
  const { id, updatedAt: editedAt, page, visited = [], tolerancesOf = null } = draft;
  return {
    id,
    ...contentOf(draft),
    page: isWizardPage(page) ? page : 'environment',
    ...noPlan,
    visited: visited.filter(isWizardPage),
    tolerancesOf,
    editedAt,
  };
}

/** Stays while the draft is edited: notes of an import, and the way back to the draft before. */
const isLasting = ({ notice, changing }: Pick<DraftState, 'notice' | 'changing'>): boolean =>
  notice?.kind === 'started-new' ||
  (notice?.kind === 'changing' && changing !== null) ||
  (notice?.kind === 'imported' && notice.notes.length > 0);

/** Less than a person notices, and few enough writes while a slider moves. */
const saveDelayMs = 250;
/** Drafts beyond these are forgotten, oldest first. */
const keptDrafts = 12;

const newestFirst = (drafts: readonly Draft[]): readonly Draft[] =>
  [...drafts].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));

/** The drafts on disk. `onError` gets the outcome of each save: null when well. */
function createDraftFiles(client: Client, current: () => Draft, onError: (error: WireError | null) => void) {
  const save = createLatest(
    saveDelayMs,
    () => client.call('drafts.save', current()).then(() => null, toWire),
    onError,
  );
  const remove = async (id: string): Promise<void> => {
    await client.call('drafts.remove', { id });
  };
  return {
    /** Newest first; removes those over the limit. Rejects with the core's error. */
    read: async (): Promise<readonly Draft[]> => {
      const drafts = newestFirst(await client.call('drafts.list'));
      for (const { id } of drafts.slice(keptDrafts)) await remove(id);
      return drafts.slice(0, keptDrafts);
    },
    saveSoon: save.soon,
    saveNow: save.now,
    remove,
  };
}

interface Marks {
  before: Draft | null;
  /** Run that the draft became; a change makes it another draft again. */
  startedAs: string | null;
}

/**
 * Saves the draft on every change, and keeps the one before it for undo.
 * @param readText called with the config.pbtxt text that a draft was left with
 */
export function createDraftSession(
  access: DraftAccess,
  preview: Latest,
  fresh: () => NewDraft,
  readText: () => void,
) {
  const { client, get, set } = access;
  const marks: Marks = { before: null, startedAs: null };
  const current = (): Draft => savedDraft(get(), marks.startedAs);
  const files = createDraftFiles(client, current, (saveError) => set({ saveError }));
  const without = ({ id: gone }: Draft): readonly Draft[] => get().older.filter(({ id }) => id !== gone);
  const setOverrides = (overrides: Tree, others: Partial<DraftState> = {}): void => {
    set({ editedAt: new Date().toISOString(), ...others, overrides, stale: true });
    preview.soon();
    files.saveSoon();
  };
  const show = (draft: Draft): void => {
    marks.startedAs = draft.startedAs ?? null;
    set(openedDraft(draft));
    if (openText(get()) !== null) readText();
  };

  const edited = (overrides: Tree): void => {
    marks.startedAs = null;
    setOverrides(overrides, isLasting(get()) ? {} : { notice: null });
  };

  const replace = (
    next: Choice,
    notice: DraftNotice,
    page: WizardPage,
    changing: string | null = null,
    more: Partial<DraftState> = {},
  ): void => {
    const before = current();
    const stays = isWorthKeeping(get(), fresh());
    marks.before = before;
    if (stays) void files.saveNow();
    marks.startedAs = null;
    const renewed = {
      ...blankDraft(),
      editedAt: new Date().toISOString(),
      ...(stays ? { older: [before, ...without(before)] } : { id: before.id }),
    };
    setOverrides(next.overrides, { ...renewed, preset: next.preset, page, changing, notice, ...more });
  };

  const begin = (preset: string): void => {
    const { overrides, ...given } = fresh();
    if (isWorthKeeping(get(), fresh())) {
      replace({ preset, overrides }, { kind: 'started-new' }, 'environment', null, given);
      return;
    }
    marks.startedAs = null;
    setOverrides(overrides, { ...blankDraft(), ...given, id: get().id, preset });
  };

  return {
    preview,
    fresh,
    marks,
    current,
    files,
    without,
    setOverrides,
    show,
    edited,
    replace,
    begin,
  };
}

export type DraftSession = ReturnType<typeof createDraftSession>;

export function endingSlice(
  { get, set }: DraftAccess,
  { preview, fresh, marks, current, files, without, setOverrides, show }: DraftSession,
): Pick<DraftState, 'started' | 'takeBack' | 'openDraft'> {
  const leaveFor = (next: Draft, stays: boolean, notice: DraftNotice | null): void => {
    const present = current();
    if (stays) void files.saveNow();
    else if (present.id !== next.id) void files.remove(present.id).catch(() => undefined);
    show(next);
    const older = [...(stays ? [present] : []), ...without(next)];
    setOverrides(next.choice.overrides, { notice, older });
  };
  return {
    started: (runId) => {
      marks.startedAs = runId;
      const done = current();
      void files.saveNow();
      marks.startedAs = null;
      marks.before = null;
      set({ ...blankDraft(), ...fresh(), older: [done, ...without(done)] });
      preview.soon();
    },
    takeBack: () => {
      const old = marks.before;
      if (old === null) return;
      marks.before = null;
      leaveFor(old, isBesideAnother(get().notice) && isWorthKeeping(get(), fresh()), null);
    },
    openDraft: (draft) => {
      const stays = isWorthKeeping(get(), fresh());
      marks.before = stays ? current() : null;
      leaveFor(draft, stays, stays ? { kind: 'opened' } : null);
    },
  };
}
