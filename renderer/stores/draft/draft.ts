import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire } from '../../../main/contract/errors';
import type { Client } from '../../client';
import { createLatest, type Latest } from '../latest';
import { choiceSlice } from './choice-slice';
import { createConfigText } from './config-slice';
import { blankDraft, createDraftSession, type DraftSession, endingSlice } from './draft-session';
import {
  choiceOf,
  type DraftAccess,
  type DraftState,
  isWorthKeeping,
  type NewDraft,
  noPlan,
} from './draft-state';
import { fieldSlice } from './field-slice';

const previewDelayMs = 150;

function createChangePlan({ client, get, set }: DraftAccess): Latest {
  let last: { readonly key: string; readonly answer: Promise<typeof noPlan> } | null = null;
  const ask = async (): Promise<typeof noPlan> => {
    // One at a time, and the newest of those waiting: the core reads the weights of the run for it.
    await last?.answer;
    const { changing: runId, preview } = get();
    const spec = preview?.spec ?? null;
    if (runId === null || spec === null) return noPlan;
    const key = `${runId} ${JSON.stringify(spec)}`;
    if (last?.key !== key) {
      const answer = client.call('runs.planChange', { runId, spec }).then(
        (plan) => ({ plan, planError: null }),
        (error: unknown) => {
          last = null;
          return { plan: null, planError: toWire(error) };
        },
      );
      last = { key, answer };
    }
    return last.answer;
  };
  return createLatest(0, ask, set);
}

function createPreview({ client, get, set }: DraftAccess, replan: () => Promise<void>): Latest {
  return createLatest(
    previewDelayMs,
    () =>
      client.call('spec.preview', choiceOf(get())).then(
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
}

function pageSlice(
  { get, set }: DraftAccess,
  { files, show, fresh, preview }: DraftSession,
): Pick<DraftState, 'open' | 'goTo'> {
  let opening: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const drafts = await files.read();
      const [newest, ...others] = drafts;
      const unfinished = newest !== undefined && newest.startedAs === undefined;
      if (unfinished) {
        show(newest);
        // An unchanged draft only gives its place on disk.
        if (!isWorthKeeping(get(), fresh()))
          set({ ...fresh(), page: 'environment', visited: [], editedAt: null });
      } else set(fresh());
      set({ older: unfinished ? others : drafts, ready: true });
    } catch (error) {
      set({ saveError: toWire(error), ready: true });
    }
    await preview.now();
  };
  return {
    open: () => (opening ??= read()),
    goTo: (page) => {
      const { page: from, visited } = get();
      if (page === from) return;
      set({ page, visited: [...new Set([...visited, from, page])] });
      files.saveSoon();
    },
  };
}

export function createDraft(
  client: Client,
  fresh: () => NewDraft = () => ({ overrides: {}, p99BudgetMs: null }),
): StoreApi<DraftState> {
  return createStore<DraftState>()((set, get) => {
    const access: DraftAccess = { client, get, set };
    const plans = createChangePlan(access);
    const replan = async (): Promise<void> => {
      if (get().changing !== null) await plans.now();
    };
    const preview = createPreview(access, replan);
    const session = createDraftSession(access, preview, fresh, () => config.compare.soon());
    const config = createConfigText(access, session);
    return {
      ...blankDraft(),
      ownPreset: null,
      ready: false,
      preview: null,
      spec: null,
      error: null,
      saveError: null,
      older: [],
      ...pageSlice(access, session),
      ...fieldSlice(access, session, config.leaveText),
      ...choiceSlice(access, session),
      ...endingSlice(access, session),
      ...config.slice,
      dismiss: () => set({ notice: null }),
      settle: async () => {
        if (get().edit?.pending === true) await config.compare.now();
        await preview.now();
        await replan();
      },
    };
  });
}
