import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { CheckedModel } from '../../../main/contract/repository-check';
import type { Client } from '../../client';

export interface Repository {
  /** As it was chosen: a repository, or a model in it; null: none yet. */
  readonly given: string | null;
  /** Absolute path of the repository. */
  readonly path: string;
  readonly models: readonly CheckedModel[];
  /** "3 models: 2 load, 1 does not load". */
  readonly text: string;
  readonly busy: boolean;
  readonly error: WireError | null;
  /** Name of the model whose check is shown. */
  readonly chosen: string | null;
  /** Models that are loaded with it. */
  readonly beside: readonly string[];
  readonly open: (given: string) => Promise<void>;
  readonly choose: (name: string) => void;
  readonly loadWith: (names: readonly string[]) => void;
}

/** The only model that no other is made of or names; null where there are several. */
export function mainModelOf(models: readonly CheckedModel[]): string | null {
  const parts = new Set(models.flatMap(({ steps, named }) => [...steps, ...named]));
  const whole = models.filter(({ name }) => !parts.has(name));
  const [only] = whole;
  return only !== undefined && whole.length === 1 ? only.name : null;
}

const nothing = { path: '', models: [], text: '', chosen: null, beside: [], error: null } as const;

/** The models of a repository before one of them becomes a draft. */
export function createRepository(client: Client): StoreApi<Repository> {
  return createStore<Repository>()((set, get) => ({
    ...nothing,
    given: null,
    busy: false,
    open: async (given) => {
      const again = get().given === given ? get().chosen : null;
      set({ ...nothing, given, busy: true });
      try {
        const { repositories, text } = await client.call('models.check', { paths: [given] });
        // Another folder was chosen meanwhile.
        if (get().given !== given) return;
        const [{ path, models } = { path: given, models: [] }] = repositories;
        const chosen = models.some(({ name }) => name === again) ? again : mainModelOf(models);
        set({ path, models, text, chosen, busy: false });
      } catch (error) {
        if (get().given === given) set({ error: toWire(error), busy: false });
      }
    },
    choose: (chosen) => {
      if (get().chosen !== chosen) set({ chosen, beside: [] });
    },
    loadWith: (beside) => set({ beside }),
  }));
}
