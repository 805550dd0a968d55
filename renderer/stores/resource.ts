import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../main/contract/errors';

export interface Resource<Value> {
  /** null until it has come for the first time; an older value stays while a newer is on its way. */
  readonly value: Value | null;
  readonly error: WireError | null;
  readonly loading: boolean;
  /** Calls made while one is under way are joined to one more after it, so that the last word is the newest. */
  readonly load: () => Promise<void>;
}

/** A value of the core, as last fetched. */
export function createResource<Value>(fetch: () => Promise<Value>): StoreApi<Resource<Value>> {
  return createStore<Resource<Value>>()((set) => {
    let running: Promise<void> | null = null;
    let again = false;
    const once = async (): Promise<void> => {
      set({ loading: true });
      do {
        again = false;
        try {
          set({ value: await fetch(), error: null });
        } catch (error) {
          set({ error: toWire(error) });
        }
        // Set by load() during the await, which the compiler does not see.
      } while (again as boolean);
      running = null;
      set({ loading: false });
    };
    return {
      value: null,
      error: null,
      loading: false,
      load: () => {
        if (running !== null) again = true;
        running ??= once();
        return running;
      },
    };
  });
}
