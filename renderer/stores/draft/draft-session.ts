import type { Choice, Draft } from '../../../main/contract/run/spec-tools';
import type { Tree } from '../../../main/contract/trees';
import type { Latest } from '../latest';
import { noPlan } from './change-plan';
import { createDraftFiles } from './draft-files';
import {
  choiceOf,
  type DraftAccess,
  type DraftNotice,
  type DraftState,
  firstPreset,
  isWorthKeeping,
} from './draft-state';
import { isWizardPage, type WizardPage } from './wizard-page';

const newId = (): string => crypto.randomUUID();

/** Nothing chosen yet. */
export const blankDraft = () =>
  ({
    id: newId(),
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

/** As it is kept on disk. @param startedAs run that the draft became */
function savedDraft(state: DraftState, startedAs: string | null): Draft {
  const { id, changing, page, visited, tolerancesOf, p99BudgetMs, name } = state;
  return {
    id,
    choice: choiceOf(state),
    page,
    visited: [...visited],
    ...(tolerancesOf === null ? {} : { tolerancesOf }),
    ...(p99BudgetMs === null ? {} : { p99BudgetMs }),
    ...(name === '' ? {} : { name }),
    ...(changing === null ? {} : { changing }),
    ...(startedAs === null ? {} : { startedAs }),
    updatedAt: new Date().toISOString(),
  };
}

/** As it is shown, where it was left. */
function openedDraft(draft: Draft): Partial<DraftState> {
  const {
    id,
    choice,
    changing = null,
    updatedAt: editedAt,
    page,
    visited = [],
    tolerancesOf = null,
    p99BudgetMs = null,
    name = '',
  } = draft;
  return {
    id,
    ...choice,
    page: isWizardPage(page) ? page : 'environment',
    changing,
    ...noPlan,
    visited: visited.filter(isWizardPage),
    tolerancesOf,
    p99BudgetMs,
    name,
    editedAt,
  };
}

/** Notes of an import are of its file, and the draft before a new one is offered until that is started. */
const isLasting = (notice: DraftNotice | null): boolean =>
  notice?.kind === 'started-new' || (notice?.kind === 'imported' && notice.notes.length > 0);

export type DraftSession = ReturnType<typeof createDraftSession>;

/** Which draft is put together: it is saved on every change, and the one before it can be taken back. */
export function createDraftSession({ client, get, set }: DraftAccess, preview: Latest) {
  let before: Draft | null = null;
  /** Run that the draft became; a change makes it another draft again. */
  let startedAs: string | null = null;

  const current = (): Draft => savedDraft(get(), startedAs);
  const files = createDraftFiles(client, current, (saveError) => {
    set({ saveError });
  });
  const without = ({ id: gone }: Draft): readonly Draft[] => get().older.filter(({ id }) => id !== gone);
  const setOverrides = (overrides: Tree, others: Partial<DraftState> = {}): void => {
    set({ editedAt: new Date().toISOString(), ...others, overrides, stale: true });
    preview.soon();
    files.saveSoon();
  };
  const show = (draft: Draft): void => {
    startedAs = draft.startedAs ?? null;
    set(openedDraft(draft));
  };

  /** A change by hand: what a notice said of the choice before it holds no longer. */
  const edited = (overrides: Tree): void => {
    startedAs = null;
    setOverrides(overrides, isLasting(get().notice) ? {} : { notice: null });
  };

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
    const fresh = {
      ...blankDraft(),
      editedAt: new Date().toISOString(),
      older: [before, ...without(before)],
    };
    setOverrides(next.overrides, { ...fresh, preset: next.preset, page, changing, notice });
  };

  /** Another draft, which nothing is chosen in yet; one with something in it stays on disk and can be taken back. */
  const begin = (preset: string): void => {
    if (isWorthKeeping(get())) {
      replace({ preset, overrides: {} }, { kind: 'started-new' }, 'environment');
      return;
    }
    startedAs = null;
    setOverrides({}, { ...blankDraft(), id: get().id, preset });
  };

  return {
    current,
    files,
    show,
    edited,
    replace,
    begin,
    forgetBefore: (): void => {
      before = null;
    },
    slice: {
      started: (runId: string): void => {
        startedAs = runId;
        const done = current();
        void files.saveNow();
        startedAs = null;
        before = null;
        set({ ...blankDraft(), older: [done, ...without(done)] });
        preview.soon();
      },
      takeBack: (): void => {
        const old = before;
        if (old === null) return;
        before = null;
        const present = current();
        const stays = get().notice?.kind === 'started-new' && isWorthKeeping(get());
        if (stays) void files.saveNow();
        else void files.remove(present.id).catch(() => undefined);
        show(old);
        const older = [...(stays ? [present] : []), ...without(old)];
        setOverrides(old.choice.overrides, { notice: null, edit: null, older });
      },
    },
  };
}
