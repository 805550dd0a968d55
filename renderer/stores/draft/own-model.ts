import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { OpenedModel } from '../../../main/contract/run/own-model';
import type { Client } from '../../client';
import type { DraftState } from './draft-state';

export interface OwnModel {
  readonly path: string | null;
  readonly opened: OpenedModel | null;
  readonly error: WireError | null;
  readonly busy: boolean;
  /** Shapes that were typed, by input: "1, 3, 224, 224". */
  readonly shapes: Readonly<Record<string, string>>;
  /**
   * Reads what stands at the path, and takes it into the draft where nothing has to be trusted or said first; true then.
   * @param asNew into a draft of its own; so with `trust` and `retry`
   */
  readonly open: (path: string, asNew?: boolean) => Promise<boolean>;
  readonly setShape: (name: string, text: string) => void;
  /** Trusts the code as it is now, and takes the model into the draft. */
  readonly trust: (asNew?: boolean) => Promise<boolean>;
  /** Opens it again with the shapes that were typed. */
  readonly retry: (asNew?: boolean) => Promise<boolean>;
}

/** "1, 3, 224, 224" -> its numbers; null where it is no shape. */
function shapeOf(text: string): number[] | null {
  const parts = text.split(/[\s,x×]+/).filter(Boolean);
  return parts.length > 0 && parts.every((part) => /^[1-9]\d{0,8}$/.test(part)) ? parts.map(Number) : null;
}

/** The engineer's own model while it is opened. */
export function createOwnModel(client: Client, draft: StoreApi<DraftState>): StoreApi<OwnModel> {
  return createStore<OwnModel>()((set, get) => {
    const call = async (name: 'models.open' | 'models.trust', asNew = false): Promise<boolean> => {
      const { path } = get();
      if (path === null) return false;
      set({ busy: true, error: null });
      const shapes = Object.fromEntries(
        Object.entries(get().shapes).flatMap(([input, text]) => {
          const shape = shapeOf(text);
          return shape === null ? [] : [[input, shape]];
        }),
      );
      try {
        const opened = await client.call(name, { path, shapes, datatypes: {} });
        // Another path was chosen while this one was read.
        if (get().path !== path) return false;
        set({ opened, busy: false });
        const { choice, preset, trusted } = opened;
        if (choice === null || preset === null || !trusted) return false;
        draft.getState().chooseModel(choice, preset, asNew);
        return true;
      } catch (error) {
        if (get().path === path) set({ error: toWire(error), busy: false });
        return false;
      }
    };
    return {
      path: null,
      opened: null,
      error: null,
      busy: false,
      shapes: {},
      open: (path, asNew) => {
        set({ path, opened: null, shapes: {} });
        return call('models.open', asNew);
      },
      setShape: (name, text) => set({ shapes: { ...get().shapes, [name]: text } }),
      trust: (asNew) => call('models.trust', asNew),
      retry: (asNew) => call('models.open', asNew),
    };
  });
}
